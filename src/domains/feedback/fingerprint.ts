import { createHash } from 'node:crypto'
import type { Failure } from '../../kernel/ports.ts'

export interface KnownFailure {
  fingerprint: string
  tool: string | null
  page: string | null
  /** What is kept of it in words. The message is not: it may quote what somebody sent. */
  text: string
}

/** The same fault gives the same fingerprint in every version: line numbers move with every edit, so the frame is a file and a function. */
export function recognise({ met, error }: Failure): KnownFailure {
  const place = 'tool' in met ? met.tool : met.route
  const kind = classOf(error)
  const frame = ownFrame(error instanceof Error ? error.stack : undefined)
  return {
    fingerprint: createHash('sha256').update(`${place}\n${kind}\n${frame}`).digest('hex').slice(0, 32),
    tool: 'tool' in met ? met.tool : null,
    page: 'route' in met ? met.route : null,
    text: `${kind} in ${place}, at ${frame || 'no frame of ours'}`,
  }
}

const WORD = /^[\w.$-]{1,60}$/

/** The class, and the code where there is one: a database has one class for all its faults. */
function classOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  const { code } = error as { code?: unknown }
  const name = [error.name, error.constructor.name].find((one) => WORD.test(one)) ?? 'Error'
  return typeof code === 'string' && WORD.test(code) ? `${name} ${code}` : name
}

const FRAME = /^\s*at (?:async )?(?:(.*?) \()?(?:file:\/\/)?([^()]*?):\d+:\d+\)?$/

function ownFrame(stack = ''): string {
  for (const line of stack.split('\n')) {
    const [, name = '', file = ''] = FRAME.exec(line) ?? []
    const own = /(?:^|\/)(?:src|dist)\/(.+?)\.[cm]?[jt]sx?$/.exec(file.replaceAll('\\', '/'))
    if (own && !file.includes('node_modules')) return [own[1], name].filter(Boolean).join(' ')
  }
  return ''
}
