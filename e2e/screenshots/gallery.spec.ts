import { walks } from "../pages/states";
import { test } from "../tests/fixtures";
import { modelServer } from "../tests/model_server";

// Some states are about what cannot be had.
test.use({ allowedErrors: [/Failed to load resource|ERR_|CORS policy/] });

for (const [name, walk] of Object.entries(walks)) {
  test(name, async ({ page }, info) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    const served = await modelServer();
    let number = 0;
    const look = async (state: string) => {
      number += 1;
      const place = `gallery/${info.project.name}/${name}-${String(number).padStart(2, "0")}-${state}.png`;
      await page.screenshot({ path: place, animations: "disabled", caret: "hide" });
    };
    try {
      await walk(page, look, served.url);
    } finally {
      await served.close();
    }
  });
}
