import { readFileSync } from 'node:fs'

/** The columns of every table, as generated in migrations/tables.d.ts. */
export function readTableColumns(): Map<string, string[]> {
  const text = readFileSync(new URL('../../migrations/tables.d.ts', import.meta.url), 'utf8')
  return new Map(
    [...text.matchAll(/^ {2}(\w+): \{\n((?: {4}.*\n)*)/gm)].map(([, table, columns]) => [
      table!,
      [...columns!.matchAll(/^ {4}(\w+):/gm)].map(([, column]) => column!),
    ]),
  )
}
