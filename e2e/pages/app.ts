import { expect, type Locator, type Page } from "@playwright/test";

/** The page as its user sees it. */
export class App {
  constructor(readonly page: Page) {}

  async open(settings: Record<string, unknown> = {}) {
    if (Object.keys(settings).length > 0) {
      await this.page.addInitScript((kept) => {
        if (!localStorage.getItem("querylore.settings")) localStorage.setItem("querylore.settings", kept);
      }, JSON.stringify(settings));
    }
    await this.page.goto("/");
    await this.ready();
  }

  async ready() {
    await expect(this.page.locator('[data-ready="true"]')).toBeVisible({ timeout: 60_000 });
  }

  get question(): Locator {
    return this.page.getByRole("textbox", { name: "Question" });
  }

  get rail(): Locator {
    return this.page.getByRole("complementary", { name: "Database and history" });
  }

  get rows(): Locator {
    return this.page.getByRole("region", { name: "Rows" });
  }

  get score(): Locator {
    return this.page.getByRole("region", { name: "Score" });
  }

  get sql(): Locator {
    return this.page.getByRole("region", { name: "SQL", exact: true });
  }

  get knowledge(): Locator {
    return this.page.getByRole("region", { name: "Knowledge used" });
  }

  async ask(text: string) {
    await this.question.fill(text);
    await this.page.keyboard.press("Control+Enter");
  }

  async menu(item: string | RegExp) {
    await this.page.getByRole("button", { name: "Database" }).click();
    await this.page.getByRole("menuitem", { name: item }).or(this.page.getByRole("menuitemradio", { name: item })).first().click();
  }

  async openFile(path: string | { name: string; mimeType: string; buffer: Buffer }) {
    const chooser = this.page.waitForEvent("filechooser");
    await this.menu("Open a file");
    await (await chooser).setFiles(path);
  }

  async addHistory(file: string | { name: string; mimeType: string; buffer: Buffer }) {
    const chooser = this.page.waitForEvent("filechooser");
    await this.rail.getByRole("button", { name: "Add history" }).click();
    await (await chooser).setFiles(file);
  }

  get editor(): Locator {
    return this.sql.getByRole("textbox", { name: "SQL" });
  }

  /** Opens the editor, where the last query did not leave it open. */
  async edit() {
    const edit = this.sql.getByRole("button", { name: "Edit" });
    await expect(this.editor.or(edit)).toBeVisible();
    if (!(await this.editor.isVisible())) await edit.click();
    await expect(this.editor).toBeVisible();
  }

  get palette(): Locator {
    return this.page.getByRole("dialog", { name: "Find anything" });
  }

  /** Opens the palette by its key and types. */
  async find(text: string) {
    await this.page.keyboard.press("Control+k");
    await expect(this.palette).toBeVisible();
    await this.palette.getByRole("combobox").pressSequentially(text);
  }

  async runSql(text: string) {
    await this.edit();
    await this.editor.fill(text);
    await this.sql.getByRole("button", { name: "Run" }).click();
  }
}
