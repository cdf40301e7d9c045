import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { demoStage } from './demo-stage.ts'
import { documentFiles } from './document-pages.ts'
import { readmeWithExchange } from './exchange.ts'
import { toolExamples } from './tool-examples.ts'
import { toolFiles } from './tool-pages.ts'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const GENERATED = 'docs/tools'

export interface Differences {
  /** The expected content of outdated pages, by path. */
  stale: Map<string, string>
  /** Pages that are no longer generated. */
  orphans: string[]
}

/** Generates all pages in memory and compares them with the files. */
export async function differences(): Promise<Differences> {
  const pages = await generated()
  const stale = new Map<string, string>()
  for (const [path, text] of pages) if ((await read(path)) !== text) stale.set(path, text)
  const orphans = (await readdir(join(ROOT, GENERATED), { recursive: true }).catch(() => []))
    .map((name) => `${GENERATED}/${name.replaceAll('\\', '/')}`)
    .filter((path) => extname(path) !== '' && !pages.has(path))
  return { stale, orphans }
}

/** All generated files by path. One demo serves all examples. */
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
