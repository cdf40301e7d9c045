import type { Tool } from '../../src/kernel/tool.ts'
import { verifyOrganizer } from '../../src/domains/access/verify-organizer.ts'
import { FEEDBACK_TOOLS } from '../../src/feedback-tools/index.ts'
import { callOperatorTool } from '../../src/surfaces/feedback-mcp/call-operator-tool.ts'
import { callOrganizerTool } from '../../src/surfaces/mcp/call-tool.ts'
import { serializeResultFields } from '../../src/surfaces/mcp/outcome.ts'
import { createPersonAt, type PersonHandle } from '../support/participants.ts'
import { type EventHandle, type OrganizerHandle, type ClientHandle, RESOURCE, type ToolAnswer, type World } from '../support/world.ts'

export type Arguments = Record<string, unknown>

/** An organizer or participant who calls tools through the call pipeline of their endpoint. */
export interface ToolCaller {
  answer: (tool: string, args?: Arguments) => Promise<ToolAnswer>
  /** The actor that audit entries of this caller must name; null if the endpoint has no audit log. */
  audited: { actor: string; app: string } | null
}

/** Fixture in which every tool can be called: a client with events, its administrator, a participant, and rows in every list. */
export interface Stage {
  world: World
  home: EventHandle
  /** Another event of the same client. */
  sibling: EventHandle
  admin: OrganizerHandle
  /** A registered participant who is signed in. */
  person: PersonHandle
  /** Returns the organizer or participant whose endpoint serves the tool. */
  callerOf: (tool: Pick<Tool, 'scope'>) => ToolCaller
  /** A word in every name and text of this stage and of no other stage: if the word appears elsewhere, data leaked. */
  word: string
  /** Returns a new unique text that contains the stage's word. */
  text: () => string
}

let made = 0

/** Event and client codes do not contain the word, because error messages repeat the code that a caller sent. */
export async function createStage(world: World, { tenant, word }: { tenant: string; word: string }): Promise<Stage> {
  const number = ++made
  const clients: ClientHandle[] = []
  for (const part of ['main', 'second', 'third']) {
    clients.push(await world.client({ tenant, code: `stage${number}-${part}`, name: `${word} ${part}` }))
  }
  const [client] = clients as [ClientHandle, ...ClientHandle[]]
  const event = (code: string, startsOn: string, status: 'draft' | 'published' | 'archived' = 'published') =>
    world.event({ at: client, code: `stage${number}-${code}`, name: `${word} ${code}`, city: word, startsOn, status })
  const home = await event('home', '2027-05-11')
  const sibling = await event('sibling', '2027-05-11')
  await event('draft', '2027-06-01', 'draft')
  await event('ended', '2024-05-11')
  await event('archived', '2024-05-11', 'archived')
  const admin = await world.organizer({ at: clients, name: `Olga ${word}`, email: `olga@${word}${number}.example` })
  let texts = 0
  const person = await createPersonAt(world, home, { email: `petra@${word}${number}.example` })
  return {
    world,
    home,
    sibling,
    admin,
    person,
    callerOf: ({ scope }) => callersAt({ world, home, admin, person })[scope](),
    word,
    text: () => `${word} ${number}-${++texts}`,
  }
}

type Cast = Pick<Stage, 'world' | 'home' | 'admin' | 'person'>

function callersAt({ world, home, admin, person }: Cast): Record<Tool['scope'], () => ToolCaller> {
  const organizer = () => ({ answer: admin.answer, audited: { actor: admin.userId, app: 'Test app' } })
  const participant = () => ({
    answer: person.answer,
    audited: { actor: `${home.eventId}:${person.email.toLowerCase()}`, app: 'Concierge' },
  })
  const signedOut = () => ({ answer: person.with({ session: null }).answer, audited: { actor: person.accountId, app: 'Concierge' } })
  return {
    account: organizer,
    client: organizer,
    event: organizer,
    signIn: signedOut,
    person: participant,
    registrant: participant,
    operator: () => operatorOf(world),
  }
}

/** Verifies the token once and reuses the organizer for all calls, because verifying takes longer than refusing a call. */
export async function verifyOrganizerOnce(
  { database, services, tools }: World,
  { token }: Pick<OrganizerHandle, 'token'>,
): Promise<Pick<ToolCaller, 'answer'>> {
  const organizer = (await verifyOrganizer(database.pool, token, RESOURCE))!
  return {
    answer: async (name, args = {}) =>
      JSON.parse(`{${serializeResultFields(await callOrganizerTool(services, organizer, tools.get(name)!, args))}}`) as ToolAnswer,
  }
}

/** The same stage with a verified administrator, for calls whose refusal does not depend on the caller. */
export async function withVerifiedAdmin(stage: Stage): Promise<Stage> {
  const { answer } = await verifyOrganizerOnce(stage.world, stage.admin)
  return {
    ...stage,
    callerOf: (tool) => ({
      ...stage.callerOf(tool),
      ...(['account', 'client', 'event'].includes(tool.scope) ? { answer } : {}),
    }),
  }
}

/** The same stage with another participant, whose texts contain another word. */
export async function withAnotherParticipant(stage: Stage, word: string): Promise<Stage> {
  const { world, home, admin } = stage
  const person = await createPersonAt(world, home, { email: `paul@${word}${++made}.example` })
  let texts = 0
  return {
    ...stage,
    person,
    word,
    text: () => `${word} ${++texts}`,
    callerOf: ({ scope }) => callersAt({ world, home, admin, person })[scope](),
  }
}

const operatorOf = ({ services }: World): ToolCaller => ({
  async answer(name, args = {}) {
    const tool = FEEDBACK_TOOLS.find((one) => one.name === name)!
    return JSON.parse(`{${serializeResultFields(await callOperatorTool(services, tool, args))}}`) as ToolAnswer
  },
  audited: null,
})

/** Event or client code arguments: without them a call is refused before its other arguments are validated. */
export const scopeArguments = ({ scope }: Pick<Tool, 'scope'>, { home }: Pick<Stage, 'home'>): Arguments => ({
  ...(scope === 'event' ? { eventCode: home.eventCode } : {}),
  ...(scope === 'client' ? { clientCode: home.clientCode } : {}),
})

/** The same client with its other event as home: records created here must be unknown at the original home event. */
export const atSiblingEvent = (stage: Stage): Stage => ({ ...stage, home: stage.sibling, sibling: stage.home })
