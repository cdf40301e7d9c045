import type { FieldError } from '../../kernel/errors.ts'
import { listChosenProductCodes, findSessionErrors } from '../registration/sessions.ts'
import type { RegistrationContext } from '../registration/event-snapshot.ts'
import { toSessionAnswerKey, toSessionInventoryKey, listChosenSessionIds } from '../sessions/context.ts'
import { REMOVED_SESSION_ERROR_KEY, createSessionFullError, validateSessionChoice } from '../sessions/session-choice.ts'
import { filterProgram, listSessionsIncludedInProducts, listScheduledSessions } from '../sessions/program.ts'
import { type RegistrationProgress, recalculateVisiblePages } from './progress.ts'
import { NON_ANSWER_FORM_FIELDS, type GetFormValues, listPageWidgets } from './sent-page.ts'

/**
 * Lists the codes of chosen products, without those on the waiting list, and of products that can still be chosen on this or later pages.
 */
export function listAvailableProducts({ walk, answers, stored }: RegistrationProgress, page: string, from: 'here' | 'after'): Set<string> {
  const at = walk.pages.findIndex(({ code }) => code === page) + (from === 'here' ? 0 : 1)
  const toCome = walk.pages.slice(at).flatMap(({ visible, widgets }) => (visible ? widgets.flatMap(({ products }) => products) : []))
  return new Set([...listBoughtProducts({ answers, stored }), ...toCome.map(({ code }) => code)])
}

export const listBoughtProducts = ({ answers, stored }: Pick<RegistrationProgress, 'answers' | 'stored'>): Set<string> =>
  new Set([...listChosenProductCodes(answers)].filter((code) => !stored.waits.includes(`product:${code}`)))

/** Lists the errors in the conference sessions chosen on a page of the form. A session that the participant already has is no error. */
export async function findSessionChoiceErrors(
  ctx: RegistrationContext,
  after: RegistrationProgress,
  { page, sent, before = new Set() }: { page: string; sent: GetFormValues; before?: ReadonlySet<string> },
): Promise<FieldError[]> {
  const shown = new Set(sent(NON_ANSWER_FORM_FIELDS.shown))
  const lists = listPageWidgets(after, page).flatMap((widget) => (widget.type === 'sessions' && shown.has(widget.id) ? [widget] : []))
  if (lists.length === 0) return []
  const { snapshot, answers } = after
  const program = await listScheduledSessions(ctx)
  const here = new Set(sent(NON_ANSWER_FORM_FIELDS.session))
  const chosen = listChosenSessionIds(answers).filter((id) => here.has(id) || program.some((session) => session.id === id))
  const full = new Set(sent(NON_ANSWER_FORM_FIELDS.full))
  const included = listSessionsIncludedInProducts(program, listBoughtProducts(after))
  const problems = lists.flatMap((list): FieldError[] => {
    const mine = filterProgram(list, program, snapshot.timezone).filter(({ id }) => chosen.includes(id) && !included.includes(id))
    const own = new Set(mine.map(({ id }) => id))
    const refused = validateSessionChoice({
      program,
      chosen: [...new Set([...included, ...chosen])],
      // Conference sessions that were chosen in another session widget of the flow are accepted here, because that widget validates them.
      before: new Set([...before, ...included, ...chosen.filter((id) => !own.has(id) && !here.has(id))]),
      products: listAvailableProducts(after, page, 'after'),
      nameOfProduct: (code) => snapshot.config.products.find((product) => product.code === code)?.name ?? code,
      preventOverlap: list.preventOverlap,
      now: snapshot.at,
    })
    const taken = mine.filter(({ id, left }) => left === 0 && !snapshot.isTest && !before.has(id) && !full.has(toSessionInventoryKey(id)))
    const tooMany = list.maxSelected !== null && mine.length > list.maxSelected
    return [
      ...refused.filter(({ path }) => here.has(path.slice(toSessionAnswerKey('').length))),
      ...taken.map(createSessionFullError),
      ...(tooMany
        ? [
            {
              path: toSessionAnswerKey(''),
              message: `Choose at most ${list.maxSelected}`,
              reason: { key: 'error.chooseAtMost' as const, values: { limit: String(list.maxSelected) } },
            },
          ]
        : []),
    ]
  })
  return [...new Map(problems.toReversed().map((problem) => [problem.path, problem])).values()].toReversed()
}

/** Restores the conference sessions that were chosen before, because a choice with an invalid session is not saved at all. */
export const restorePreviousSessionAnswers = (before: RegistrationProgress, after: RegistrationProgress): RegistrationProgress =>
  recalculateVisiblePages(after, {
    ...Object.fromEntries(Object.entries(after.answers).filter(([binding]) => !binding.startsWith(toSessionAnswerKey('')))),
    ...Object.fromEntries(Object.entries(before.answers).filter(([binding]) => binding.startsWith(toSessionAnswerKey('')))),
  })

/**
 * Lists the errors of chosen conference sessions that block completion, because the program or the products may have changed since they
 * were chosen. Sessions that no longer take place are ignored.
 */
export async function listBlockingSessionErrors(ctx: RegistrationContext, progress: RegistrationProgress): Promise<FieldError[]> {
  const { snapshot, flow, walk } = progress
  const answers = Object.fromEntries(Object.entries(progress.answers).filter(([binding]) => walk.answer(binding) !== undefined))
  const refused = await findSessionErrors(ctx, { snapshot, flow, answers, products: listBoughtProducts(progress) })
  return refused.filter(({ reason }) => reason?.key !== REMOVED_SESSION_ERROR_KEY)
}
