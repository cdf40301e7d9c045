import { createHash } from 'node:crypto'
import type { UnexpectedFailure } from '../../kernel/ports.ts'

export interface FingerprintedFailure {
  fingerprint: string
  tool: string | null
  page: string | null
  /** The text that describes the error in the feedback item. It omits the error message, which may quote user input. */
  text: string
}

/**
 * Computes a fingerprint of an error that stays the same across versions: from file and function of the top stack frame, without line
 * numbers.
 */
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

/** Returns the class name of an error, with its error code if it has one: the database driver has one class for all errors. */
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
