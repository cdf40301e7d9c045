import { randomInt } from 'node:crypto'
import { recordChange } from '../../kernel/audit.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { Secret } from '../../kernel/secrets.ts'
import type { RegistrationContext } from '../registration/event-snapshot.ts'
import { type GroupRow, type GroupScope, selectGroups } from './groups.ts'

const JOIN_CODE_LENGTH = 12
/**
 * Characters of join codes: without vowels, so that no code is a word, and without lookalikes. The database uses the same characters for
 * groups that have no code yet.
 */
const JOIN_CODE_CHARACTERS = 'BCDFGHJKMNPRSTVW'

/** Generates a random join code of 48 bits. */
export const generateJoinCode = (): string =>
  hyphenate(Array.from({ length: JOIN_CODE_LENGTH }, () => JOIN_CODE_CHARACTERS[randomInt(JOIN_CODE_CHARACTERS.length)]).join(''))

const hyphenate = (characters: string) => characters.match(/.{4}/g)!.join('-')

/**
 * Converts a typed join code to its stored form. People type it in lower case, with spaces or without hyphens. Null if the text is no join
 * code.
 */
export function normalizeJoinCode(typed: string): string | null {
  const characters = typed.toUpperCase().replaceAll(/[^A-Z]/g, '')
  return characters.length === JOIN_CODE_LENGTH ? hyphenate(characters) : null
}

/**
 * Finds the group that a person may join with the typed code: the group's secret join code, or its public code if members pay for
 * themselves. If the group pays, the public code is not accepted: it is derived from the group's name, so a stranger could guess it and buy
 * on the group's account.
 */
export async function findGroupByTypedCode(ctx: GroupScope, typed: string): Promise<{ group: GroupRow; joinCode: string | null } | null> {
  const joinCode = normalizeJoinCode(typed)
  const secret = joinCode === null ? undefined : await selectGroups(ctx).where('join_code', '=', joinCode).executeTakeFirst()
  if (secret) return { group: secret, joinCode }
  const group = await selectGroups(ctx).where('code', '=', typed.trim().toLowerCase()).where('pay_by', '=', 'members').executeTakeFirst()
  return group ? { group, joinCode: null } : null
}

/** Whether the join code that a person entered earlier is still valid. The code or the payer of the group may have changed since. */
export const isJoinCodeValid = ({ pay_by, join_code }: GroupRow, joinCode: string | null): boolean =>
  joinCode === null ? pay_by === 'members' : joinCode === join_code

/**
 * Replaces the join code of a group if `replaced` is still the current code, so that a repeated call changes nothing. Returns the
 * current code. Registrations in progress that used the previous code have to enter the new one.
 */
export async function replaceJoinCode(
  ctx: RegistrationContext,
  { id, join_code }: Pick<GroupRow, 'id' | 'join_code'>,
  replaced: string,
): Promise<string> {
  if (normalizeJoinCode(replaced) !== join_code) return join_code
  const renewed = await eventDb(ctx)
    .updateTable('managed_groups')
    .set({ join_code: generateJoinCode() })
    .where('id', '=', id)
    .returning('join_code')
    .executeTakeFirstOrThrow()
  recordChange(ctx, {
    kind: 'group',
    id,
    before: { joinCode: new Secret(join_code) },
    after: { joinCode: new Secret(renewed.join_code) },
  })
  return renewed.join_code
}
