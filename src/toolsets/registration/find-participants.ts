import {
  toOneLine,
  code,
  count,
  country,
  day,
  flag,
  instant,
  list,
  object,
  oneOf,
  pageArguments,
  pageResult,
  searchArgument,
  text,
  totalResult,
} from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { findParticipants, ParticipantSummaries, PARTICIPANT_SORTS } from '../../domains/registration/find/find-participants.ts'
import { participantReferenceSchema } from '../../domains/registration/find/resolve-participant.ts'
import { BALANCE_FILTERS } from '../../domains/registration/find/participant-filters.ts'
import { PARTICIPANT_STATUSES, REGISTRATION_SOURCES } from '../../domains/registration/tables.ts'

const tags = () => list(code(), 50).optional()

export default eventTool({
  name: 'find_participants',
  title: 'Find registrants',
  description:
    'Find or list registrants: is someone registered, who is the gentleman at the desk, something like a name, company, email or invoice number; attendees who owe money, wait, have a tag, product, path or status (incomplete, cancelled). Not for one whole record (use get_participant). Returns people with tags and balance.',
  effect: 'read',
  toleratesLag: true,
  permission: 'registration.read',
  input: {
    search: searchArgument().optional(),
    status: list(oneOf(PARTICIPANT_STATUSES), 4).optional(),
    flowSlug: code().optional(),
    tagsAll: tags(),
    tagsAny: tags(),
    tagsNone: tags(),
    groupCode: code().optional(),
    productCode: code().optional(),
    waitlistedFor: text(80).optional().describe('product:<code>, flow:<slug> or event'),
    hostId: participantReferenceSchema().optional(),
    isGuest: flag().optional(),
    balance: oneOf(BALANCE_FILTERS).optional(),
    source: oneOf(REGISTRATION_SOURCES).optional(),
    createdFrom: day().optional(),
    createdUntil: day().optional(),
    updatedSince: instant().optional(),
    country: country().optional(),
    custom: toOneLine(list(object({ code: code(), value: text(300) }), 10), 'code, value').optional(),
    sort: oneOf(PARTICIPANT_SORTS).optional(),
    includeTestData: flag().default(false),
    ...pageArguments,
  },
  output: { participants: ParticipantSummaries, cancelledAlsoMatch: count().optional(), ...totalResult, ...pageResult },
  run: findParticipants,
})
