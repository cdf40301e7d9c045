import type { Refusal, RefusalKind } from './examples.ts'

/** When each is met, and what there is to do about it. What the call itself proposes comes first. */
const KINDS: Record<RefusalKind, { when: string; todo: string }> = {
  arguments: { when: 'An argument is missing, unknown or of the wrong kind', todo: 'Mend everything it names and call again.' },
  place: { when: 'The codes name nothing that you can work on', todo: 'Look the code up again.' },
  permission: { when: 'Your roles lack the permission there', todo: 'Ask a client administrator for a role that has it. Calling again does not help.' },
  unknown: { when: 'What an argument names is not there', todo: 'Look it up again. What belongs to another event is as unknown as what never was.' },
  stale: { when: 'Somebody changed it since you read it', todo: 'Read it again and repeat the change on what it says now.' },
  confirmation: { when: 'The confirm token is not for this call', todo: 'Make the dry run, show it to the person, and call with its `confirmToken`.' },
  key: { when: 'The key was used for another call', todo: 'Use a new key for a new call.' },
  again: { when: 'It was done already, or is still going on', todo: 'Look at what is there before you call again.' },
  archived: { when: 'The event is archived', todo: 'Nothing about it can be changed any more; clone it for the next one.' },
  session: { when: 'Nobody has signed in', todo: 'Have the person sign in with `agent_request_otp` and `agent_verify_otp`.' },
  registration: { when: 'The person has not registered yet, or signed in before they did', todo: 'Register them, then have them sign in again.' },
}

/** The refusals of a tool as rows: each code leads to its page, and the sentence is the one that was really answered. */
export const refusalRows = (refusals: readonly Refusal[]): string[] =>
  refusals.map(({ kind, code, message, fix, argument }) => {
    const { when, todo } = KINDS[kind]
    const which = argument === undefined ? when : `${when}: \`${argument}\``
    return `| ${which} | [\`${code}\`](/docs/errors#${code}) “${cell(message)}” | ${(fix === undefined ? null : inWords(fix)) ?? todo} |`
  })

/** Longer arguments are in the refusal itself. */
const MOST_ARGUMENTS = 90

/** The way out that the refusal proposes; null where it only repeats the whole call. */
function inWords(fix: string): string | null {
  const [, tool, sent = ''] = /^call (\w+) with (\{.*\})$/.exec(fix) ?? []
  if (tool === undefined) return `${cell(upper(fix))}.`
  if (sent.length > MOST_ARGUMENTS) return null
  return `Call \`${tool}\`${sent === '{}' ? '' : ` with \`${sent.replaceAll('|', '\\|')}\``}.`
}

const upper = (text: string) => text.charAt(0).toUpperCase() + text.slice(1).replace(/\.$/, '')

/** Markdown must take the sentence for what it is. */
const cell = (text: string) => text.replaceAll(/[\\`*_[\]<>|{}]/g, (sign) => `\\${sign}`)
