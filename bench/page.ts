import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'

const PAGE = fileURLToPath(new URL('../docs/performance.md', import.meta.url))

/**
 * Replaces one chapter of docs/performance.md, or adds it at the end. Adds the machine and versions, so that the measurement can be
 * repeated.
 */
export function writeChapter(title: string, paragraphs: readonly string[], versions: readonly string[] = []): void {
  const chapters = (existsSync(PAGE) ? readFileSync(PAGE, 'utf8') : '').split(/^(?=# )/m).filter((chapter) => chapter.trim() !== '')
  const chapter = `${[`# ${title}`, ...paragraphs, describeRun(versions)].join('\n\n')}\n`
  const at = chapters.findIndex((one) => one.startsWith(`# ${title}\n`))
  chapters.splice(at < 0 ? chapters.length : at, at < 0 ? 0 : 1, chapter)
  writeFileSync(PAGE, chapters.map((one) => `${one.trimEnd()}\n`).join('\n'))
}

function describeRun(versions: readonly string[]): string {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD']).toString().trim()
  const machine = `${cpus().length} cores (${cpus()[0]!.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GB, load average ${loadavg()[1]!.toFixed(1)}`
  const date = new Date().toISOString().slice(0, 10)
  return `Machine: ${machine}. ${[`Node ${process.version}`, ...versions, `commit ${commit}`, date].join(', ')}.`
}
