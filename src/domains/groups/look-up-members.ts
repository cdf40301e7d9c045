import type { Answers } from '../registration/answers.ts'
import { lookUpPeopleInDirectory, type DirectoryLookupsByEmail } from '../registration/flows/flow-directories.ts'
import { getGroup } from './groups.ts'
import { getManagedGroup, type GroupManagerScope } from './managers.ts'

type LookUpScope = Parameters<typeof lookUpPeopleInDirectory>[0]

/** Looks new members up in the directory of the group's flow, for an organizer who adds them. Runs before the transaction. */
export async function queryDirectoryForNewMembers(
  ctx: LookUpScope,
  groupCode: string,
  add: readonly { data?: Answers | undefined }[],
): Promise<DirectoryLookupsByEmail> {
  const people = add.flatMap(({ data }) => (data ? [data] : []))
  return people.length === 0 ? new Map() : lookUpPeopleInDirectory(ctx, (await getGroup(ctx, groupCode)).flow_slug, people)
}

/**
 * Looks new members up for a manager of the group. The member has not verified the email address, so the manager gets no personal data of
 * the directory record: only its tags count.
 */
export async function queryDirectoryForMemberImport(
  ctx: LookUpScope & GroupManagerScope,
  groupCode: string | undefined,
  members: readonly { data: Answers }[],
): Promise<DirectoryLookupsByEmail> {
  const { flow_slug } = await getManagedGroup(ctx, groupCode)
  const found = await lookUpPeopleInDirectory(
    ctx,
    flow_slug,
    members.map(({ data }) => data),
  )
  return new Map([...found].map(([email, looked]) => [email, { ...looked, answers: {}, modes: {} }]))
}
