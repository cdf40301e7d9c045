import { recordFeedback } from '../domains/feedback/record.ts'
import { email as emailWord, oneOf, text as textWord } from '../kernel/args.ts'
import { openMigratedDatabase } from '../open-migrated.ts'
import { SERVER_INFO } from '../surfaces/mcp/views.ts'
import { type Command, readTextOption, UsageError, withDatabase } from './command.ts'

const KINDS = ['bug', 'idea', 'question', 'praise'] as const

export const feedbackCommand: Command = {
  usage: 'feedback add <text> [--kind bug|idea|question|praise] [--page <path>] [--tool <name>] [--email <address>]',
  summary: 'add feedback to the feedback tracker',
  options: { kind: 'string', page: 'string', tool: 'string', email: 'string' },
  run({ environment, words: [action, ...words], flags }) {
    if (action !== 'add') throw new UsageError('feedback add')
    const feedbackText = textWord(4000).safeParse(words.join(' '))
    if (!feedbackText.success) throw new UsageError(`the text: ${feedbackText.error.issues[0]!.message}`)
    const kind = oneOf(KINDS).safeParse(readTextOption(flags, 'kind') ?? 'bug')
    if (!kind.success) throw new UsageError(`--kind must be one of ${KINDS.join(', ')}`)
    const contact = emailWord().optional().safeParse(readTextOption(flags, 'email'))
    if (!contact.success) throw new UsageError('--email is not an email address')
    return withDatabase(
      () => openMigratedDatabase(environment),
      async (database) => {
        const feedbackId = await recordFeedback(database.write, {
          source: 'cli',
          kind: kind.data,
          text: feedbackText.data,
          page: readTextOption(flags, 'page'),
          tool: readTextOption(flags, 'tool'),
          contactEmail: contact.data,
          appVersion: SERVER_INFO.version,
        })
        return { text: `Noted as ${feedbackId}.`, data: { feedbackId } }
      },
    )
  },
}
