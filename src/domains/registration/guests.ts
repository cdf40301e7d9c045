import { recordChange } from '../../kernel/audit.ts'
import { AppError, invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import type { Flow } from '../configuration/schema/event-config.ts'
import { type Answers, columnsOf } from './answers.ts'
import type { ParticipantRow } from './participant-shape.ts'
import { insertParticipant, newNumbers } from './people.ts'
import type { AtEvent, Scene } from './scene.ts'

/** Somebody whom a participant brings along. */
export interface Guest {
  type: string | null
  /** Whether and as what they are paid for. */
  productCode: string | null
  /** By binding, as if they were the participant. */
  answers: Record<string, unknown>
}

const GUEST = /^@guest\.(\d{1,2})\.(\w+)$/

/** The guests among the answers to a flow, in the order of their numbers. */
export function guestsIn(flow: Flow, answers: Answers): Guest[] {
  const numbered = new Map<number, Record<string, unknown>>()
  for (const [binding, value] of Object.entries(answers)) {
    const [, number, property] = GUEST.exec(binding) ?? []
    if (number === undefined || property === undefined || value === null || value === undefined) continue
    numbered.set(Number(number), { ...numbered.get(Number(number)), [property]: value })
  }
  if (numbered.size === 0) return []
  const settings = guestSettings(flow)
  if (numbered.size > settings.max) throw tooManyGuests(flow, settings.max)
  return [...numbered]
    .toSorted(([a], [b]) => a - b)
    .map(([number, { type, ...properties }]) => ({
      ...guestTypeOf(flow, type, `@guest.${number}.type`),
      answers: Object.fromEntries(Object.entries(properties).map(([name, value]) => [`@participant.${name}`, value])),
    }))
}

export function guestSettings(flow: Flow): NonNullable<Flow['guests']> {
  if (!flow.guests?.enabled) throw preconditionFailed(`${flow.name} is not open to guests`)
  return flow.guests
}

export const tooManyGuests = (flow: Flow, max: number) =>
  new AppError('limit_exceeded', `${flow.name} allows ${max === 1 ? '1 guest' : `${max} guests`} per person`)

/** The type that was named, or the only one there is; a flow without types has guests who cost nothing. */
export function guestTypeOf(flow: Flow, named: unknown, path: string): Pick<Guest, 'type' | 'productCode'> {
  const { types } = guestSettings(flow)
  if (types.length === 0) return { type: null, productCode: null }
  const type = types.find(({ code }) => code === named) ?? (named === undefined && types.length === 1 ? types[0] : undefined)
  if (!type) throw invalidArguments([{ path, message: `choose one of ${types.map(({ code }) => code).join(', ')}` }])
  return { type: type.code, productCode: type.productCode }
}

interface Adding {
  scene: Scene
  flow: Flow
  host: ParticipantRow
  guests: readonly Guest[]
  source: ParticipantRow['source']
}

/** Registers guests together with their host; what they cost goes on the host's order. */
export async function addGuests(ctx: AtEvent, { scene, flow, host, guests, source }: Adding): Promise<ParticipantRow[]> {
  const rows: ParticipantRow[] = []
  for (const { type, answers } of guests) {
    const row = await insertParticipant(ctx, {
      ...columnsOf(answers),
      ...newNumbers(),
      status: 'complete',
      completed_at: scene.at,
      version_id: scene.versionId,
      flow_slug: flow.slug,
      host_id: host.id,
      guest_type: type,
      is_test_data: scene.isTest,
      source,
    })
    recordChange(ctx, { kind: 'participant', id: row.id, after: { ...answers, status: row.status, hostId: host.id } })
    rows.push(row)
  }
  return rows
}
