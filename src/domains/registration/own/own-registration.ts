import { z } from 'zod'
import {
  toOneLine,
  count,
  day,
  flag,
  instant,
  list,
  object,
  oneOf,
  untrustedText,
  untrustedTextRegistry,
  text,
} from '../../../kernel/args.ts'
import { chooseTranslator } from '../../../kernel/language/translator.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { formatInstant } from '../../../kernel/time.ts'
import { type DataField, listParticipantDataFields } from '../../configuration/data-fields.ts'
import { listFlowQuestions } from '../../configuration/field-descriptors.ts'
import { isAnswerUnset } from '../../configuration/flow/walk.ts'
import type { Configuration } from '../../configuration/read.ts'
import type { CustomField, EventConfig } from '../../configuration/schema/event-config.ts'
import { listFileNames } from '../../files/files.ts'
import { listStays } from '../../housing/reservations.ts'
import { listHotelWaitlistSpots } from '../../housing/waitlist.ts'
import { formatAnswerMergeField, formatCountryForEmail } from '../../messages/event-mail/person.ts'
import { formatLanguageName } from '../../../kernel/language/format.ts'
import { formatMergeFieldValue } from '../../messages/rendering/merge-fields.ts'
import { type Enrolment, listActiveEnrolments, getRoomName } from '../../sessions/enrolments.ts'
import { buildEventPagePaths } from '../../tenancy/public-pages.ts'
import { readStoredAnswers } from '../answers.ts'
import { getWidgetLabel } from '../flows/describe-flow.ts'
import { type OwnRegistrationContext, loadOwnRegistration, type OwnRegistrationState } from './own-flow.ts'
import { formatParticipantName, type ParticipantRow } from '../participant-shape.ts'
import { listGuests } from '../participant-rows.ts'
import { PARTICIPANT_STATUSES } from '../tables.ts'
import { listWaitlistEntries } from '../waitlist/waitlist-entries.ts'
import { getWaitlistTargetName } from '../waitlist/waitlist.ts'

const Answer = object({
  binding: text(),
  label: z.string(),
  value: z.unknown().register(untrustedTextRegistry, { outside: true }),
  display: untrustedText(),
})

/** A registration as shown to its participant: no data of other people, and no internal notes of the organizer. */
export const OwnRegistration = {
  participantId: text(),
  status: oneOf(PARTICIPANT_STATUSES),
  confirmationNumber: text().optional(),
  flowSlug: text().nullable(),
  eventName: z.string(),
  startsOn: day(),
  endsOn: day(),
  timezone: text(),
  answers: toOneLine(list(Answer), 'binding, label, value, display'),
  guests: toOneLine(list(object({ name: untrustedText(), type: z.string().nullable(), status: text() })), 'name, type, status'),
  group: toOneLine(object({ code: text(), name: untrustedText(), role: oneOf(['leader', 'member']) }), 'code, name, role').optional(),
  sessions: toOneLine(list(object({ title: z.string(), startsAt: instant(), room: z.string().nullable() })), 'title, startsAt, room'),
  housing: toOneLine(
    list(
      object({
        hotel: z.string(),
        roomType: z.string(),
        checkIn: day(),
        checkOut: day(),
        status: text(),
        ackNumber: z.string().nullable(),
      }),
    ),
    'hotel, roomType, checkIn, checkOut, status, ackNumber',
  ),
  waitlist: toOneLine(
    list(
      object({
        for: z.string(),
        rank: count().nullable(),
        offer: object({ status: oneOf(['offered']), expiresAt: instant(), url: z.string() }).optional(),
      }),
    ),
    'for, rank, offer? { status, expiresAt, url }',
  ),
  sharing: toOneLine(z.record(z.string(), oneOf(['share', 'restrict', 'default'])), 'share, restrict or default by field'),
  visibleToParticipants: flag(),
  aiProfile: untrustedText().optional(),
  manageUrl: z.string(),
  revision: count(1, 2_147_483_647),
}

export async function getOwnRegistration(ctx: OwnRegistrationContext): Promise<z.input<z.ZodObject<typeof OwnRegistration>>> {
  const state = await loadOwnRegistration(ctx)
  const { configuration, row } = state
  const { config, facts } = configuration
  const group = await ownGroup(ctx, row)
  const enrolments = await listActiveEnrolments(ctx, row.id)
  return {
    participantId: row.id,
    status: row.status,
    ...(row.confirmation_number === null ? {} : { confirmationNumber: row.confirmation_number }),
    flowSlug: row.flow_slug,
    eventName: config.details.name,
    startsOn: facts.startsOn,
    endsOn: facts.endsOn,
    timezone: facts.timezone,
    answers: await ownAnswers(ctx, state),
    guests: (await listGuests(ctx, row.id)).map((guest) => ({
      name: formatParticipantName(guest),
      type: guest.guest_type,
      status: guest.status,
    })),
    ...(group ? { group } : {}),
    sessions: enrolments.filter(({ status }) => status === 'enrolled').map((one) => toOwnSession(config, one)),
    housing: await ownRooms(ctx, row),
    waitlist: [
      ...(await listWaitlistItems(ctx, configuration, row)),
      ...(await listHotelWaits(ctx, row)),
      ...enrolments.flatMap(toWaitlistItem),
    ],
    ...toSharingSettings(config, row),
    manageUrl: `${buildEventPagePaths(ctx).signIn}?email=${encodeURIComponent(row.email ?? '')}`,
    revision: row.revision,
  }
}

const toOwnSession = (config: EventConfig, { title, startsAt, roomCode }: Enrolment) => ({
  title,
  startsAt: formatInstant(startsAt),
  room: getRoomName(config, roomCode),
})

const toWaitlistItem = ({ status, title, rank }: Enrolment) => (status === 'waitlisted' ? [{ for: title, rank }] : [])

/** Lists the participant's waiting list entries. An open offer has the link to the page where the participant accepts or declines it. */
async function listWaitlistItems(ctx: OwnRegistrationContext, { config, facts }: Configuration, row: ParticipantRow) {
  const entries = (await listWaitlistEntries(ctx, row)).filter(({ status }) => status === 'waiting' || status === 'offered')
  const { signIn, myRegistration } = buildEventPagePaths(ctx)
  const url = `${signIn}?${new URLSearchParams({ email: row.email ?? '', next: myRegistration }).toString()}`
  return entries.map(({ target, rank, offeredUntil }) => ({
    for: getWaitlistTargetName(config, target),
    rank,
    ...(offeredUntil !== null && Date.parse(offeredUntil) > facts.now.getTime()
      ? { offer: { status: 'offered' as const, expiresAt: offeredUntil, url } }
      : {}),
  }))
}

async function listHotelWaits(ctx: OwnRegistrationContext, { id }: ParticipantRow) {
  const waits = await listHotelWaitlistSpots(ctx, [id])
  return waits.map(({ hotel, checkIn, checkOut, rank }) => ({ for: `${hotel ?? 'any hotel'}, ${checkIn} to ${checkOut}`, rank }))
}

/** Returns the sharing setting of each field: the participant's choice, or `default` for the event's setting. */
function toSharingSettings({ exhibitorConfig, flows }: EventConfig, row: ParticipantRow) {
  const sharingFields = flows
    .flatMap(({ pages }) => pages.flatMap(({ widgets }) => widgets))
    .flatMap((one) => (one.type === 'sharing' ? one.fields : []))
  const fields = [...new Set([...exhibitorConfig.leadVisibleFields, ...sharingFields, ...Object.keys(row.sharing)])]
  return {
    sharing: Object.fromEntries(fields.map((field) => [field, row.sharing[field] ?? ('default' as const)] as const)),
    visibleToParticipants: row.visible_to_participants,
    ...(row.ai_profile ? { aiProfile: row.ai_profile } : {}),
  }
}

const ownRooms = async (ctx: OwnRegistrationContext, { id }: ParticipantRow) =>
  (await listStays(ctx, [id])).map(({ participantId: _own, reservationId: _reservation, moves: _moves, ...stay }) => stay)

async function ownGroup(ctx: OwnRegistrationContext, { group_id, group_leader }: ParticipantRow) {
  if (group_id === null) return null
  const group = await eventDb(ctx)
    .selectFrom('managed_groups')
    .select(['code', 'name'])
    .where('id', '=', group_id)
    .executeTakeFirstOrThrow()
  return { ...group, role: group_leader ? ('leader' as const) : ('member' as const) }
}

/**
 * Lists answers in the order of the flow, then all others. A field that no flow asks for is an internal note of the organizer and left out.
 */
async function ownAnswers(
  ctx: OwnRegistrationContext,
  { configuration, row, flow }: OwnRegistrationState,
): Promise<z.input<typeof Answer>[]> {
  const { config } = configuration
  const stored = readStoredAnswers(row)
  const inputs = new Map((flow ? listFlowQuestions(config, flow) : []).map(({ binding, widget }) => [binding, widget]))
  const anywhere = new Set(config.flows.flatMap((one) => listFlowQuestions(config, one)).map(({ binding }) => binding))
  const fields = new Map(listParticipantDataFields(config).map((field) => [field.binding, field]))
  const bindings = [...new Set([...inputs.keys(), ...fields.keys()])]
  const answered = bindings.flatMap((binding) => {
    const field = fields.get(binding)
    const isTheirs = field?.source === 'standard' || anywhere.has(binding)
    return field && isTheirs && !isAnswerUnset(binding, stored[binding]) ? [{ field, value: stored[binding] }] : []
  })
  const files = await listFileNames(
    ctx,
    answered.flatMap(({ field, value }) => (field.type === 'file' && typeof value === 'string' ? [value] : [])),
  )
  return answered.flatMap(({ field, value }) => {
    const file = field.type === 'file' ? files.get(String(value)) : null
    if (file === undefined) return []
    const label = getWidgetLabel(config, inputs.get(field.binding), field.binding)
    const shown = file ? { value: file, display: file.name } : { value, display: formatAnswer(configuration, field, value) }
    return [{ binding: field.binding, label, ...shown }]
  })
}

function formatAnswer({ config, facts: { locale } }: Configuration, field: DataField, value: unknown): string {
  const custom: CustomField | undefined = config.customFields.find(({ code }) => code === field.customFieldCode)
  const shown = custom
    ? formatAnswerMergeField(custom, value, locale)
    : field.type === 'country'
      ? formatCountryForEmail(String(value), locale)
      : field.binding === '@participant.language'
        ? formatLanguageName(locale, String(value))
        : String(value)
  return formatMergeFieldValue(shown, { words: chooseTranslator(locale), locale })
}
