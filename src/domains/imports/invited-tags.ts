import type { EventContext } from '../../kernel/context.ts'
import { foldEmailCase } from '../../kernel/email-address.ts'
import { listUnusedInvites } from '../registration/invitations/invites.ts'
import type { ParsedPerson } from './read-person.ts'
import type { NewImportedPerson } from './register-people.ts'
import type { ImportRunState } from './run-state.ts'

/**
 * Links each new person to the person's unused invitation to the imported flow. If several people have the invited address, only the first
 * one gets it.
 */
export async function linkPeopleToUnusedInvites(
  ctx: EventContext,
  { flowSlug, isTest }: ImportRunState,
  people: readonly ParsedPerson[],
): Promise<NewImportedPerson[]> {
  const emailOf = ({ answers, status }: ParsedPerson) =>
    status !== 'cancelled' && typeof answers['@participant.email'] === 'string' ? foldEmailCase(answers['@participant.email']) : ''
  const found = isTest ? [] : await listUnusedInvites(ctx, flowSlug, [...new Set(people.map(emailOf).filter(Boolean))])
  const open = new Map(found.map((invite) => [foldEmailCase(invite.email), invite]))
  return people.map((person) => {
    const invite = open.get(emailOf(person))
    open.delete(emailOf(person))
    return invite ? { ...person, invite } : person
  })
}
