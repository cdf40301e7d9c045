import type { EventPlace, OrganizerHandle, Place, World } from '../support/world.ts'

/** A place where every tool can be called: a client with an event, an administrator of it, and something in every list. */
export interface Stage {
  world: World
  home: EventPlace
  /** Another event of the same client. */
  sibling: EventPlace
  admin: OrganizerHandle
  /** In every name and text of this stage and of no other: where it shows up elsewhere, something leaked. */
  word: string
  /** A new text with the word in it. */
  text: () => string
}

let made = 0

/** Codes carry no word, since callers may send the code of a foreign place and are answered with it. */
export async function stageAt(world: World, { tenant, word }: { tenant: string; word: string }): Promise<Stage> {
  const number = ++made
  const clients: Place[] = []
  for (const part of ['main', 'second', 'third']) {
    clients.push(await world.client({ tenant, code: `stage${number}-${part}`, name: `${word} ${part}` }))
  }
  const [client] = clients as [Place, ...Place[]]
  const event = (code: string, startsOn: string, status: 'draft' | 'published' | 'archived' = 'published') =>
    world.event({ at: client, code: `stage${number}-${code}`, name: `${word} ${code}`, city: word, startsOn, status })
  const home = await event('home', '2027-05-11')
  const sibling = await event('sibling', '2027-05-11')
  await event('draft', '2027-06-01', 'draft')
  await event('ended', '2024-05-11')
  await event('archived', '2024-05-11', 'archived')
  const admin = await world.organizer({ at: clients, name: `Olga ${word}`, email: `olga@${word}${number}.example` })
  let texts = 0
  return { world, home, sibling, admin, word, text: () => `${word} ${number}-${++texts}` }
}

/** The same client seen from its other event: what exists here must be unknown at home. */
export const atSibling = (stage: Stage): Stage => ({ ...stage, home: stage.sibling, sibling: stage.home })
