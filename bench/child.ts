import { type ChildProcess, fork } from 'node:child_process'

/** A benchmark process, as seen by its parent. */
export interface Child {
  ask: <T>(question: string, given?: unknown) => Promise<T>
  stop: () => void
}

interface Answer {
  id: number
  value?: unknown
  error?: string
}

/** Starts a script in its own process. Its output is discarded, as a server's log would go to a file. */
export async function startChild(script: string, environment: Record<string, string> = {}, nodeOptions: string[] = []): Promise<Child> {
  const child = fork(script, [], {
    execArgv: nodeOptions,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const ask = asking(child, script)
  await ask('ready')
  return { ask, stop: () => child.connected && child.disconnect() }
}

function asking(child: ChildProcess, script: string): Child['ask'] {
  const waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>()
  let last = 0
  child.on('message', ({ id, value, error }: Answer) => {
    const asked = waiting.get(id)
    waiting.delete(id)
    if (error === undefined) asked?.resolve(value as never)
    else asked?.reject(new Error(`${script}: ${error}`))
  })
  child.on('exit', (code, signal) => {
    for (const { reject } of waiting.values()) reject(new Error(`${script} ended with ${code ?? signal}`))
  })
  return (question, given) =>
    new Promise((resolve, reject) => {
      const id = ++last
      waiting.set(id, { resolve, reject })
      child.send({ id, question, given })
    })
}

type Answers = Record<string, (given: never) => unknown>

/** Runs in the child process: answers requests until the parent disconnects, then exits. */
export function serveRequests(answers: Answers): void {
  const all: Answers = { ready: () => true, ...answers }
  process.on('message', ({ id, question, given }: { id: number; question: string; given: unknown }) => {
    const reply = async () => all[question]!(given as never)
    reply().then(
      (value) => process.send!({ id, value }),
      (error: unknown) => process.send!({ id, error: String((error as Error).stack ?? error) }),
    )
  })
  process.on('disconnect', () => process.exit())
}
