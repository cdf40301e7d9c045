import { z } from 'zod'
import { toOneLine, code, flag, list, oneOf, pageArguments, pageResult, searchArgument, totalResult } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { ListedSpeaker, listSpeakers } from '../../domains/sessions/speaker-list.ts'
import { MISSING_SPEAKER_DETAILS } from '../../domains/sessions/speaker-shape.ts'
import { SPEAKER_STATES } from '../../domains/sessions/states.ts'

export default eventTool({
  name: 'list_speakers',
  title: 'List speakers',
  description:
    'List the speakers (faculty, presenters) of the conference: who talks, who has said yes (confirmation status), and whose photo (headshot), bio or disclosure is outstanding. For one speaker use manage_speaker; for proposals use list_submissions. Returns speakers with sessions and missing parts, counts by status.',
  effect: 'read',
  permission: 'sessions.read',
  input: {
    status: list(oneOf(SPEAKER_STATES.all), 5).optional(),
    trackCode: code().optional(),
    hasSession: flag().optional(),
    missing: list(oneOf(MISSING_SPEAKER_DETAILS), 4).optional(),
    search: searchArgument().optional(),
    ...pageArguments,
  },
  output: {
    speakers: toOneLine(list(ListedSpeaker), 'id, name, email, company, status, submissions, sessions[], missing[]'),
    counts: toOneLine(z.record(z.string(), z.number()), 'by status'),
    ...totalResult,
    ...pageResult,
  },
  run: listSpeakers,
})
