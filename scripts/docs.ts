import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { demoStage } from './docs/demo-stage.ts'
import { documentFiles } from './docs/document-pages.ts'
import { readmeWithExchange } from './docs/exchange.ts'
import { toolExamples } from './docs/tool-examples.ts'
import { toolFiles } from './docs/tool-pages.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const GENERATED = 'docs/tools'

/** Writes every generated page, or with --check says which are not what the code would write now. */
async function main(check: boolean): Promise<void> {
  const pages = await generated()
  const stale: string[] = []
  for (const [path, text] of pages) if ((await read(path)) !== text) stale.push(path)
  const orphans = (await readdir(join(ROOT, GENERATED), { recursive: true }).catch(() => []))
    .map((name) => `${GENERATED}/${name.replaceAll('\\', '/')}`)
    .filter((path) => extname(path) !== '' && !pages.has(path))
  if (check) {
    const wrong = [...stale, ...orphans]
    if (wrong.length === 0) return
    process.stderr.write(`Not what the code says now: ${wrong.join(', ')}. Run \`npm run docs\` and commit the result.\n`)
    process.exitCode = 1
    return
  }
  for (const path of stale) {
    await mkdir(dirname(join(ROOT, path)), { recursive: true })
    await writeFile(join(ROOT, path), pages.get(path)!)
    process.stdout.write(`${path}\n`)
  }
  for (const path of orphans) await rm(join(ROOT, path))
}

/** Everything, by its path. One demo is enough for all that is shown of it. */
async function generated(): Promise<Map<string, string>> {
  const stage = await demoStage()
  try {
    const readme = await readmeWithExchange(await read('README.md'), stage)
    return new Map([...toolFiles(GENERATED, await toolExamples(stage)), ...documentFiles('docs/pages'), ['README.md', readme]])
  } finally {
    await stage.end()
  }
}

const read = (path: string): Promise<string> => readFile(join(ROOT, path), 'utf8').catch(() => '')

await main(process.argv.includes('--check'))
