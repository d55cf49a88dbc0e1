import { test as base, expect } from "@playwright/test";

// Every test fails on an error the page did not handle.
export const test = base.extend<{ allowedErrors: RegExp[] }>({
  allowedErrors: [[], { option: true }],
  page: async ({ page, allowedErrors }, use) => {
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error") errors.push(message.text());
    });
    await use(page);
    expect(errors.filter((text) => !allowedErrors.some((allowed) => allowed.test(text)))).toEqual([]);
  },
});
export { expect };
