import type { ExampleError, ExampleErrorKind } from './examples.ts'

/** Texts for each kind of error: when it occurs and what to do. A fix proposed by the error itself takes precedence. */
const ERROR_TEXTS: Record<ExampleErrorKind, { when: string; todo: string }> = {
  arguments: { when: 'An argument is missing, unknown or of the wrong type', todo: 'Fix every argument that the error names, then call again.' },
  place: { when: 'The client or event code is unknown, or you have no access to it', todo: 'Check the code.' },
  permission: { when: 'Your roles do not have the permission', todo: 'Ask a client administrator for a role that has it. Do not retry.' },
  unknown: { when: 'The record that an argument names does not exist', todo: 'Check the value. Records of another event are reported as missing too.' },
  stale: { when: 'The record was changed since you read it', todo: 'Read it again and repeat the change on the current version.' },
  confirmation: { when: 'The confirm token does not belong to this call', todo: 'Call with `dryRun: true`, show the result to the person, then call with its `confirmToken`.' },
  key: { when: 'The idempotency key was used for another call', todo: 'Use a new key for each new call.' },
  again: { when: 'It is already done, or still running', todo: 'Check the current state before you call again.' },
  archived: { when: 'The event is archived', todo: 'An archived event cannot be changed. Clone it instead.' },
  session: { when: 'There is no signed-in session', todo: 'Sign the person in with `agent_request_otp` and `agent_verify_otp`.' },
  registration: { when: 'The person is not registered, or signed in before registering', todo: 'Register the person, then sign in again.' },
}

/** Builds the table rows of a tool's errors. Each code links to its documentation; the message is a real response. */
export const buildErrorTableRows = (refusals: readonly ExampleError[]): string[] =>
  refusals.map(({ kind, code, message, fix, argument }) => {
    const { when, todo } = ERROR_TEXTS[kind]
    const which = argument === undefined ? when : `${when}: \`${argument}\``
    return `| ${which} | [\`${code}\`](/docs/errors#${code}) “${escapeMarkdown(message)}” | ${(fix === undefined ? null : formatFix(fix)) ?? todo} |`
  })

/** Maximum length of the arguments in a tool call that an error proposes; the table of errors leaves out longer ones. */
const MAX_FIX_LENGTH = 90

/** Formats the fix that an error proposes; null if the fix is a tool call with long arguments. */
function formatFix(fix: string): string | null {
  const [, tool, sent = ''] = /^call (\w+) with (\{.*\})$/.exec(fix) ?? []
  if (tool === undefined) return `${escapeMarkdown(capitalize(fix))}.`
  if (sent.length > MAX_FIX_LENGTH) return null
  return `Call \`${tool}\`${sent === '{}' ? '' : ` with \`${sent.replaceAll('|', '\\|')}\``}.`
}

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1).replace(/\.$/, '')

/** Escapes Markdown characters. */
const escapeMarkdown = (text: string) => text.replaceAll(/[\\`*_[\]<>|{}]/g, (character) => `\\${character}`)
