import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildDataFiles } from './data-pages.ts'
import { openDemoScenario } from './demo-scenario.ts'
import { buildDocumentFiles } from './document-pages.ts'
import { readmeWithExchange } from './exchange.ts'
import { buildToolExamples } from './tool-examples.ts'
import { buildToolFiles } from './tool-pages.ts'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const GENERATED = 'docs/tools'

export interface OutdatedPages {
  /** The expected content of outdated pages, by path. */
  stale: Map<string, string>
  /** Pages that are no longer generated. */
  orphans: string[]
}

/** Generates all pages in memory and compares them with the files. */
export async function findOutdatedPages(): Promise<OutdatedPages> {
  const pages = await generateFiles()
  const stale = new Map<string, string>()
  for (const [path, text] of pages) if ((await read(path)) !== text) stale.set(path, text)
  const orphans = (await readdir(join(ROOT, GENERATED), { recursive: true }).catch(() => []))
    .map((name) => `${GENERATED}/${name.replaceAll('\\', '/')}`)
    .filter((path) => extname(path) !== '' && !pages.has(path))
  return { stale, orphans }
}

/** All generated files by path. One demo serves all examples. */
async function generateFiles(): Promise<Map<string, string>> {
  const stage = await openDemoScenario()
  try {
    const readme = await readmeWithExchange(await read('README.md'), stage)
    return new Map([...buildToolFiles(GENERATED, await buildToolExamples(stage)), ...buildDocumentFiles('docs/pages'), ...buildDataFiles('docs/pages'), ['README.md', readme]])
  } finally {
    await stage.end()
  }
}

const read = (path: string): Promise<string> => readFile(join(ROOT, path), 'utf8').catch(() => '')
