import { type FieldError, type FieldErrorReasonKey, invalidArguments } from '../../kernel/errors.ts'
import { toFieldError } from '../../kernel/field-reasons.ts'
import { createGroup } from '../groups/create.ts'
import { assertAcceptsMembers, countSeatsLeft, findAndLockGroup, type GroupRow, lockJoinableGroup } from '../groups/groups.ts'
import { findGroupByTypedCode, isJoinCodeValid } from '../groups/join-codes.ts'
import { toGroupPayer, lockGroupOfParticipant, makeGroupLeader } from '../registration/participant-group.ts'
import { formatParticipantName, type ParticipantRow } from '../registration/participant-shape.ts'
import type { RegistrationContext } from '../registration/event-snapshot.ts'
import type { RegistrationProgress } from './progress.ts'
import { toFieldErrorsOrRethrow } from './quote.ts'

export const GROUP_CODE_ANSWER_KEY = '@group.code'
const GROUP_NAME = '@group.name'

interface GroupChoice {
  /**
   * All answers, in which the typed group code is replaced by the public code of its group, or by null if the code is unknown or the group
   * accepts no new members.
   */
  answers: RegistrationProgress['answers']
  /** The join code that was entered. Null if the group's members pay for themselves and the public code was enough. */
  joinCode: string | null
  errors: readonly FieldError[]
}

interface CodeEntry {
  /** Whether this page asks for a group code. */
  isAsked: boolean
  /** Whether too many wrong codes were entered recently, so that this code is not checked. */
  isLimited: boolean
}

/** Validates the group code that the participant entered on this page. A code that was accepted earlier stays valid. */
export async function readGroupCode(
  ctx: RegistrationContext,
  { answers: before, stored, group: chosen }: RegistrationProgress,
  answers: RegistrationProgress['answers'],
  { isAsked, isLimited }: CodeEntry,
): Promise<GroupChoice> {
  if (!isAsked) return { answers, joinCode: stored.group_join_code, errors: [] }
  const typed = answers[GROUP_CODE_ANSWER_KEY]
  if (typeof typed !== 'string') return { answers, joinCode: null, errors: [] }
  const refuse = (key: FieldErrorReasonKey, path = GROUP_CODE_ANSWER_KEY): GroupChoice => ({
    answers: { ...answers, [GROUP_CODE_ANSWER_KEY]: null },
    joinCode: null,
    errors: [toFieldError(path, key)],
  })
  if (typeof answers[GROUP_NAME] === 'string') return refuse('error.groupBoth', GROUP_NAME)
  if (typed === before[GROUP_CODE_ANSWER_KEY] && chosen !== null) return { answers, joinCode: stored.group_join_code, errors: [] }
  if (isLimited) return refuse('error.groupCodeLimit')
  const found = await findGroupByTypedCode(ctx, typed)
  if (!found) return refuse('error.unknownGroup')
  const obstacle = findObstacle(ctx, found.group)
  if (obstacle !== null) return refuse(obstacle)
  return { answers: { ...answers, [GROUP_CODE_ANSWER_KEY]: found.group.code }, joinCode: found.joinCode, errors: [] }
}

/** Returns the text key of the reason why the group accepts no new member; null if it accepts one. */
function findObstacle(ctx: RegistrationContext, group: GroupRow): 'error.closedGroup' | 'error.fullGroup' | null {
  try {
    assertAcceptsMembers(ctx, group)
  } catch (error) {
    // Rethrows errors that are not about the choice of the group.
    toFieldErrorsOrRethrow(error)
    return 'error.closedGroup'
  }
  return countSeatsLeft(group) === 0 ? 'error.fullGroup' : null
}

/** Locks and returns the group to register in: the current one, the one whose code was entered, or a new one. */
export async function lockGroupToRegisterIn(
  ctx: RegistrationContext,
  progress: RegistrationProgress,
): Promise<RegistrationProgress['group']> {
  const { row, flow, answers, stored } = progress
  if (row.group_id !== null) return lockGroupOfParticipant(ctx, row)
  const [code, name] = [answers[GROUP_CODE_ANSWER_KEY], answers[GROUP_NAME]]
  if (typeof code === 'string') return toGroupPayer(await lockChosenGroup(ctx, code, stored.group_join_code))
  if (typeof name !== 'string') return null
  const admins = row.email === null ? [] : [{ email: row.email, name: formatParticipantName(row) || row.email }]
  const fields = { name, kind: 'other', payBy: 'members', tags: [], admins, flowSlug: flow.slug } as const
  const { group } = await createGroup(ctx, { ...fields, selfRegistered: true })
  return toGroupPayer(await lockJoinableGroup(ctx, group.code))
}

/** Checks again, under the group's lock, that the code admits to the group, and that the group is open and has a seat. */
async function lockChosenGroup(ctx: RegistrationContext, code: string, joinCode: string | null): Promise<GroupRow> {
  const group = await findAndLockGroup(ctx, code)
  const obstacle = !group || !isJoinCodeValid(group, joinCode) ? 'error.unknownGroup' : findObstacle(ctx, group)
  if (obstacle !== null) throw invalidArguments([toFieldError(GROUP_CODE_ANSWER_KEY, obstacle)])
  return group!
}

/** Makes a participant who created the group during registration its leader. */
export async function makeCreatorGroupLeader(ctx: RegistrationContext, { id, group_id, answers }: ParticipantRow): Promise<void> {
  if (group_id === null || typeof answers[GROUP_NAME] !== 'string' || typeof answers[GROUP_CODE_ANSWER_KEY] === 'string') return
  await makeGroupLeader(ctx, id)
}
