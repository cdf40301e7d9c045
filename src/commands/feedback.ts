import { recordFeedback } from '../domains/feedback/record.ts'
import { email as emailWord, oneOf, text as textWord } from '../kernel/args.ts'
import { SERVER_INFO } from '../surfaces/mcp/views.ts'
import { type Command, readTextOption, requireActionName, UsageError, withCommandDatabase } from './command.ts'

const KINDS = ['bug', 'idea', 'question', 'praise'] as const

export const feedbackCommand: Command = {
  usage: ['feedback add <text> [--kind <kind>] [--page <path>] [--tool <name>] [--email <email>]'],
  summary: 'add feedback to the feedback tracker',
  options: {
    kind: { value: '<kind>', help: `${KINDS.join(', ')}; bug if omitted` },
    page: { value: '<path>', help: 'path of the page that the feedback is about' },
    tool: { value: '<name>', help: 'name of the tool that the feedback is about' },
    email: { value: '<email>', help: 'address for questions' },
  },
  run({ environment, running, words: [action, ...words], flags }) {
    requireActionName('feedback', action, ['add'])
    const feedbackText = textWord(4000).safeParse(words.join(' '))
    if (!feedbackText.success) throw new UsageError(`the text: ${feedbackText.error.issues[0]!.message}`)
    const kind = oneOf(KINDS).safeParse(readTextOption(flags, 'kind') ?? 'bug')
    if (!kind.success) throw new UsageError(`--kind must be one of ${KINDS.join(', ')}`)
    const contact = emailWord().optional().safeParse(readTextOption(flags, 'email'))
    if (!contact.success) throw new UsageError('--email is not an email address')
    return withCommandDatabase({ environment, running }, async (database) => {
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
    })
  },
}
