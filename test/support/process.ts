import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

export interface ServiceProcess {
  child: ChildProcess
  output: () => string
  /** Resolves when the service reports ready; rejects if the process exited. */
  ready: () => Promise<void>
  end: (signal: NodeJS.Signals) => Promise<number | null>
}

/** Node options for test-only server files: imports of src/ resolve to the build. */
export const BUILT_MODULE_OPTIONS = ['--import', './test/support/built-modules.ts']

/** Starts the service as `npm start` does, in its own process, with only the given settings and none of this shell's environment. */
export function startProcess(args: string[], { port, env }: { port: number; env: Record<string, string> }): ServiceProcess {
  const child = spawn(
    process.execPath,
    ['--no-memory-protection-keys', '--min-semi-space-size=16', '--max-semi-space-size=16', '--max-old-space-size=1024', ...args],
    {
      cwd: ROOT,
      env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', PORT: String(port), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const ended = once(child, 'exit') as Promise<[number | null]>
  return {
    child,
    output: () => output,
    async ready() {
      // Polls without a time limit, because the test has a time limit.
      for (;;) {
        if (child.exitCode !== null || child.signalCode !== null) throw new Error(`the service exited:\n${output}`)
        const answer = await fetch(`http://localhost:${port}/readyz`).catch(() => null)
        if (answer?.ok) return
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    },
    async end(signal) {
      child.kill(signal)
      return (await ended)[0]
    },
  }
}
