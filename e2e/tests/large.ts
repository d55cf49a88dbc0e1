import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PROGRAM = `
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.executescript(sys.stdin.read())
db.commit()
db.execute("VACUUM")
db.close()
`;

/** The bytes of a database made by this script of SQL, by the sqlite3 of Python. */
export function database(script: string): Buffer {
  const folder = mkdtempSync(join(tmpdir(), "querylore-"));
  try {
    const path = join(folder, "large.sqlite");
    execFileSync("python3", ["-c", PROGRAM, path], { input: script });
    return readFileSync(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const names = (count: number, name: (i: number) => string) => Array.from({ length: count }, (_, i) => name(i));

/** One text of 5 MB, a table of 2,000 columns, 500 tables, and a table of 100,000 rows. */
export function large(): Buffer {
  const wide = names(2000, (i) => `column_${i}`);
  const counts = names(2000, (i) => `n * 10000 + ${i}`);
  const hundred = "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 100)";
  return database(`
    CREATE TABLE letters(letter_id INTEGER PRIMARY KEY, body TEXT, scan BLOB);
    INSERT INTO letters SELECT 1, replace(hex(zeroblob(360000)), '00', 'Dear harbour, ') || 'The end.', zeroblob(3000000);
    CREATE TABLE wide(${wide.join(", ")});
    ${hundred} INSERT INTO wide SELECT ${counts.join(", ")} FROM n;
    ${names(500, (i) => `CREATE TABLE table_${i}(id INTEGER PRIMARY KEY, name TEXT, size REAL);`).join("\n")}
    CREATE TABLE readings(reading_id INTEGER PRIMARY KEY, level INTEGER, place TEXT, value REAL);
    WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 100000)
      INSERT INTO readings SELECT n, (n * 7919) % 10007, 'place ' || ((n * 31) % 977), n / 7.0 FROM n;
  `);
}
