import type { EventContext } from '../../kernel/context.ts'
import { foldEmail } from '../../kernel/email-address.ts'
import { listInvites } from '../registration/invitations/invites.ts'
import type { ParsedPerson } from './read-person.ts'
import type { NewPerson } from './register-people.ts'
import type { RunState } from './run-state.ts'

/**
 * Links each new person to the person's unused invitation to the imported flow. If several people have the invited address, only the first
 * one gets it.
 */
export async function readInvitedTags(
  ctx: EventContext,
  { flowSlug, isTest }: RunState,
  people: readonly ParsedPerson[],
): Promise<NewPerson[]> {
  const emailOf = ({ answers, status }: ParsedPerson) =>
    status !== 'cancelled' && typeof answers['@participant.email'] === 'string' ? foldEmail(answers['@participant.email']) : ''
  const found = isTest ? [] : await listInvites(ctx, flowSlug, [...new Set(people.map(emailOf).filter(Boolean))])
  const open = new Map(found.map((invite) => [foldEmail(invite.email), invite]))
  return people.map((person) => {
    const invite = open.get(emailOf(person))
    open.delete(emailOf(person))
    return invite ? { ...person, invite } : person
  })
}
