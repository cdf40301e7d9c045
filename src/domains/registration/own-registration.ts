import { z } from 'zod'
import { brief, count, day, flag, instant, list, object, oneOf, outsideText, outsideWords, text } from '../../kernel/args.ts'
import { wordsIn } from '../../kernel/language/words.ts'
import { toInstant } from '../../kernel/time.ts'
import { type DataField, dataFieldsOf } from '../configuration/data-fields.ts'
import { inputsOf } from '../configuration/field-descriptors.ts'
import { isUnset } from '../configuration/flow/walk.ts'
import type { Configuration } from '../configuration/read.ts'
import type { CustomField, EventConfig } from '../configuration/schema/event-config.ts'
import { filesNamed } from '../files/files.ts'
import { staysOf } from '../housing/reservations.ts'
import { hotelWaitsOf } from '../housing/waitlist.ts'
import { answerField, countryName } from '../messages/event-mail/person.ts'
import { writtenOut } from '../messages/rendering/merge-fields.ts'
import { type Enrolment, liveEnrolments, roomName } from '../sessions/enrolments.ts'
import { eventPaths } from '../tenancy/public-pages.ts'
import { answersOf } from './answers.ts'
import { labelIn } from './describe-flow.ts'
import { type AtRegistration, ownScene, type OwnScene } from './own-flow.ts'
import { nameOf, type ParticipantRow } from './participant-shape.ts'
import { guestsOf } from './people.ts'
import { PARTICIPANT_STATUSES } from './tables.ts'
import { waitlistOf } from './waitlist-places.ts'
import { targetName } from './waitlist.ts'

const Answer = object({
  binding: text(),
  label: z.string(),
  value: z.unknown().register(outsideWords, { outside: true }),
  display: outsideText(),
})

/** What somebody's registration is, told to themselves: nothing of others, and nothing that the event notes about them. */
export const OwnRegistration = {
  participantId: text(),
  status: oneOf(PARTICIPANT_STATUSES),
  confirmationNumber: text().optional(),
  flowSlug: text().nullable(),
  eventName: z.string(),
  startsOn: day(),
  endsOn: day(),
  timezone: text(),
  answers: brief(list(Answer), 'binding, label, value, display'),
  guests: brief(list(object({ name: outsideText(), type: z.string().nullable(), status: text() })), 'name, type, status'),
  group: brief(object({ code: text(), name: outsideText(), role: oneOf(['leader', 'member']) }), 'code, name, role').optional(),
  sessions: brief(list(object({ title: z.string(), startsAt: instant(), room: z.string().nullable() })), 'title, startsAt, room'),
  housing: brief(
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
  waitlist: brief(list(object({ for: z.string(), rank: count().nullable() })), 'for, rank'),
  sharing: brief(z.record(z.string(), oneOf(['share', 'restrict', 'default'])), 'share, restrict or default by field'),
  visibleToParticipants: flag(),
  aiProfile: outsideText().optional(),
  manageUrl: z.string(),
  revision: count(1, 2_147_483_647),
}

export async function getOwnRegistration(ctx: AtRegistration): Promise<z.input<z.ZodObject<typeof OwnRegistration>>> {
  const scene = await ownScene(ctx)
  const { configuration, row } = scene
  const { config, facts } = configuration
  const group = await ownGroup(ctx, row)
  const enrolments = await liveEnrolments(ctx, row.id)
  return {
    participantId: row.id,
    status: row.status,
    ...(row.confirmation_number === null ? {} : { confirmationNumber: row.confirmation_number }),
    flowSlug: row.flow_slug,
    eventName: config.details.name,
    startsOn: facts.startsOn,
    endsOn: facts.endsOn,
    timezone: facts.timezone,
    answers: await ownAnswers(ctx, scene),
    guests: (await guestsOf(ctx, row.id)).map((guest) => ({ name: nameOf(guest), type: guest.guest_type, status: guest.status })),
    ...(group ? { group } : {}),
    sessions: enrolments.filter(({ status }) => status === 'enrolled').map((one) => toldSession(config, one)),
    housing: await ownRooms(ctx, row),
    waitlist: [...(await placesInLine(ctx, config, row)), ...(await roomsWaitedFor(ctx, row)), ...enrolments.flatMap(lineOf)],
    ...exposureOf(config, row),
    manageUrl: `${eventPaths(ctx).signIn}?email=${encodeURIComponent(row.email ?? '')}`,
    revision: row.revision,
  }
}

const toldSession = (config: EventConfig, { title, startsAt, roomCode }: Enrolment) => ({
  title,
  startsAt: toInstant(startsAt),
  room: roomName(config, roomCode),
})

const lineOf = ({ status, title, rank }: Enrolment) => (status === 'waitlisted' ? [{ for: title, rank }] : [])

async function placesInLine(ctx: AtRegistration, config: EventConfig, row: ParticipantRow) {
  const places = (await waitlistOf(ctx, row)).filter(({ status }) => status === 'waiting' || status === 'offered')
  return places.map(({ target, rank }) => ({ for: targetName(config, target), rank }))
}

async function roomsWaitedFor(ctx: AtRegistration, { id }: ParticipantRow) {
  const waits = await hotelWaitsOf(ctx, [id])
  return waits.map(({ hotel, checkIn, checkOut, rank }) => ({ for: `${hotel ?? 'any hotel'}, ${checkIn} to ${checkOut}`, rank }))
}

/** What others may see of them: each field as they decided, else as the event does. */
function exposureOf({ exhibitorConfig, flows }: EventConfig, row: ParticipantRow) {
  const asked = flows
    .flatMap(({ pages }) => pages.flatMap(({ widgets }) => widgets))
    .flatMap((one) => (one.type === 'sharing' ? one.fields : []))
  const fields = [...new Set([...exhibitorConfig.leadVisibleFields, ...asked, ...Object.keys(row.sharing)])]
  return {
    sharing: Object.fromEntries(fields.map((field) => [field, row.sharing[field] ?? ('default' as const)] as const)),
    visibleToParticipants: row.visible_to_participants,
    ...(row.ai_profile ? { aiProfile: row.ai_profile } : {}),
  }
}

const ownRooms = async (ctx: AtRegistration, { id }: ParticipantRow) =>
  (await staysOf(ctx, [id])).map(({ participantId: _own, reservationId: _reservation, ...stay }) => stay)

async function ownGroup(ctx: AtRegistration, { group_id, group_leader }: ParticipantRow) {
  if (group_id === null) return null
  const group = await ctx.db
    .selectFrom('managed_groups')
    .select(['code', 'name'])
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('id', '=', group_id)
    .executeTakeFirstOrThrow()
  return { ...group, role: group_leader ? ('leader' as const) : ('member' as const) }
}

/** In the order of their form, then what was answered elsewhere. A question that is asked nowhere is the organizer's note. */
async function ownAnswers(ctx: AtRegistration, { configuration, row, flow }: OwnScene): Promise<z.input<typeof Answer>[]> {
  const { config } = configuration
  const stored = answersOf(row)
  const inputs = new Map((flow ? inputsOf(config, flow) : []).map(({ binding, widget }) => [binding, widget]))
  const anywhere = new Set(config.flows.flatMap((one) => inputsOf(config, one)).map(({ binding }) => binding))
  const fields = new Map(dataFieldsOf(config).map((field) => [field.binding, field]))
  const bindings = [...new Set([...inputs.keys(), ...fields.keys()])]
  const told = bindings.flatMap((binding) => {
    const field = fields.get(binding)
    const isTheirs = field?.source === 'standard' || anywhere.has(binding)
    return field && isTheirs && !isUnset(binding, stored[binding]) ? [{ field, value: stored[binding] }] : []
  })
  const files = await filesNamed(
    ctx,
    told.flatMap(({ field, value }) => (field.type === 'file' && typeof value === 'string' ? [value] : [])),
  )
  return told.flatMap(({ field, value }) => {
    const file = field.type === 'file' ? files.get(String(value)) : null
    if (file === undefined) return []
    const label = labelIn(config, inputs.get(field.binding), field.binding)
    const shown = file ? { value: file, display: file.name } : { value, display: displayOf(configuration, field, value) }
    return [{ binding: field.binding, label, ...shown }]
  })
}

function displayOf({ config, facts: { locale } }: Configuration, field: DataField, value: unknown): string {
  const custom: CustomField | undefined = config.customFields.find(({ code }) => code === field.customFieldCode)
  const shown = custom ? answerField(custom, value, locale) : field.type === 'country' ? countryName(String(value), locale) : String(value)
  return writtenOut(shown, { words: wordsIn(locale), locale })
}
