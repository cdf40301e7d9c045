import { invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import { nearest } from '../../kernel/nearest.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'
import { addGuest } from './add-guest.ts'
import { type Answers, readAnswers } from './answers.ts'
import { beginRegistration } from './begin.ts'
import { findTwin, getParticipant } from './people.ts'
import { productsIn, refusedSessions } from './sessions.ts'
import type { ParticipantRow } from './participant-shape.ts'
import { type AtEvent, getFlow, openScene, type Scene } from './scene.ts'
import { submit, type Submission, type Submitted } from './submit.ts'

export interface NewRegistration {
  flowSlug: string
  data: Answers
  tags: readonly string[]
  status: 'complete' | 'incomplete'
  hostId?: string | undefined
  group: Submission['group']
  skipRequired: boolean
  joinWaitlist: boolean
  overrideCapacity: boolean
  overrideClosed: boolean
  source: ParticipantRow['source']
  into?: Submission['into']
}

export type Added = { status: 'new' | 'existing_incomplete' | 'existing_complete' } & Submitted

const text = (value: unknown) => (typeof value === 'string' ? value : null)

/** Registers somebody in the name of an organizer or group: by the rules that hold for people themselves. Who is there already is told, and nothing saved. */
export async function addParticipant(ctx: AtEvent, asked: NewRegistration, opened?: Scene): Promise<Added> {
  const scene = opened ?? (await openScene(ctx))
  const host = asked.hostId === undefined ? null : await getHost(ctx, asked.hostId)
  const flow = getFlow(scene, asked.flowSlug)
  refuseUnknownTags(scene.config, asked.tags)
  const { answers, errors } = readAnswers({ config: scene.config, flow }, asked.data)
  errors.push(...(await refusedSessions(ctx, { scene, flow, answers, products: productsIn(answers) })))
  if (errors.length > 0) throw invalidArguments(errors)
  const twin = scene.isTest ? null : await findTwin(ctx, identityOf(answers, host))
  if (twin) {
    return {
      status: twin.status === 'complete' ? 'existing_complete' : 'existing_incomplete',
      participant: twin,
      orderId: null,
      invoice: null,
      waitsFor: [],
      dropped: [],
    }
  }
  const submission: Submission = {
    scene,
    flow,
    answers,
    manualTags: asked.tags,
    source: asked.source,
    participant: null,
    group: asked.group ?? null,
    host,
    skipRequired: asked.skipRequired,
    overrideClosed: asked.overrideClosed,
    overrideCapacity: asked.overrideCapacity,
    joinWaitlist: asked.joinWaitlist,
    ...(asked.into ? { into: asked.into } : {}),
  }
  if (asked.status === 'incomplete') {
    const participant = await beginRegistration(ctx, submission)
    return { status: 'new', participant, orderId: null, invoice: null, waitsFor: [], dropped: [] }
  }
  // A flow of its own for guests sells what it sells; elsewhere a guest is what the host's flow says.
  return { status: 'new', ...(await (host && flow.kind !== 'guest' ? addGuest(ctx, submission, host) : submit(ctx, submission))) }
}

export const identityOf = (answers: Answers, host: ParticipantRow | null) => ({
  firstName: text(answers['@participant.firstName']),
  lastName: text(answers['@participant.lastName']),
  email: text(answers['@participant.email']),
  hostId: host?.id ?? null,
})

export function refuseUnknownTags({ tags }: Pick<EventConfig, 'tags'>, named: readonly string[]): void {
  const known = tags.map(({ code }) => code)
  const errors = named
    .filter((tag) => !known.includes(tag))
    .map((tag) => {
      const near = nearest(tag, known)
      return { path: 'tags', message: `no tag ${tag}${near === null ? '' : ` — did you mean ${near}?`}` }
    })
  if (errors.length > 0) throw invalidArguments(errors)
}

async function getHost(ctx: AtEvent, hostId: string): Promise<ParticipantRow> {
  const host = await getParticipant(ctx, hostId)
  if (host.host_id !== null) throw preconditionFailed('A guest cannot bring guests — name their host')
  if (host.status !== 'complete') throw preconditionFailed(`The host is ${host.status}: guests come with a complete registration`)
  return host
}
