import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

/** Starts a child program that communicates in lines. Child programs import no JSX, so Node runs them directly. */
export function startChild(name: string, folder: string) {
  const script = fileURLToPath(new URL(`children/${name}.ts`, import.meta.url))
  const child = spawn(process.execPath, [script, folder], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const exited = once(child, 'exit')
  onTestFinished(() => void child.kill('SIGKILL'))
  return {
    line: async () => (await lines.next()).value as string | undefined,
    send: (word: string) => child.stdin.write(`${word}\n`),
    async closeInput() {
      child.stdin.end()
      await exited
    },
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
  }
}
