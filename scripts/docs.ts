import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { findOutdatedPages, ROOT } from './docs/generated.ts'

/** Writes every generated page, or with --check reports the outdated ones. */
async function main(check: boolean): Promise<void> {
  const { stale, orphans } = await findOutdatedPages()
  if (check) {
    const wrong = [...stale.keys(), ...orphans]
    if (wrong.length === 0) return
    process.stderr.write(`Outdated generated pages: ${wrong.join(', ')}. Run \`npm run docs\` and commit the result.\n`)
    process.exitCode = 1
    return
  }
  for (const [path, text] of stale) {
    await mkdir(dirname(join(ROOT, path)), { recursive: true })
    await writeFile(join(ROOT, path), text)
    process.stdout.write(`${path}\n`)
  }
  for (const path of orphans) await rm(join(ROOT, path))
}

await main(process.argv.includes('--check'))
