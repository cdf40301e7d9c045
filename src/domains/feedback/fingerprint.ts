import { createHash } from 'node:crypto'
import type { UnexpectedFailure } from '../../kernel/ports.ts'

export interface FingerprintedFailure {
  fingerprint: string
  tool: string | null
  page: string | null
  /** The text stored for the error. The error message is left out, because it may quote user input. */
  text: string
}

/** The fingerprint of an error is stable across versions: it uses file and function of the top frame, not line numbers. */
export function fingerprintFailure({ met, error }: UnexpectedFailure): FingerprintedFailure {
  const place = 'tool' in met ? met.tool : met.route
  const kind = errorClass(error)
  const frame = findOwnFrame(error instanceof Error ? error.stack : undefined)
  return {
    fingerprint: createHash('sha256').update(`${place}\n${kind}\n${frame}`).digest('hex').slice(0, 32),
    tool: 'tool' in met ? met.tool : null,
    page: 'route' in met ? met.route : null,
    text: `${kind} in ${place}, at ${frame || 'no frame of ours'}`,
  }
}

const WORD = /^[\w.$-]{1,60}$/

/** The error's class name, with the error code if present: the database driver has one class for all errors. */
function errorClass(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  const { code } = error as { code?: unknown }
  const name = [error.name, error.constructor.name].find((one) => WORD.test(one)) ?? 'Error'
  return typeof code === 'string' && WORD.test(code) ? `${name} ${code}` : name
}

const FRAME = /^\s*at (?:async )?(?:(.*?) \()?(?:file:\/\/)?([^()]*?):\d+:\d+\)?$/

function findOwnFrame(stack = ''): string {
  for (const line of stack.split('\n')) {
    const [, name = '', file = ''] = FRAME.exec(line) ?? []
    const own = /(?:^|\/)(?:src|dist[^/]*)\/(.+?)\.[cm]?[jt]sx?$/.exec(file.replaceAll('\\', '/'))
    if (own && !file.includes('node_modules')) return [own[1], name].filter(Boolean).join(' ')
  }
  return ''
}
