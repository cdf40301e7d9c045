import type { EventContext } from '../../kernel/context.ts'
import { invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import { giveWay, inTurns } from '../../kernel/turns.ts'
import type { Issue } from '../configuration/issues.ts'
import type { Configuration } from '../configuration/read.ts'
import { checkInParts } from '../configuration/structure.ts'
import { type Edit, editDraft, type Edited } from './edit.ts'
import { mergedWith } from './merge.ts'

interface Merged {
  edited: Edited
  warnings: string[]
}

/** Lays parts over the draft, found by their keys, or changes nothing when the whole would not hold together. Nothing is ever taken out. */
export async function mergeIntoDraft(
  ctx: EventContext,
  edit: Edit,
  partsFor: (draft: Configuration) => object | Promise<object>,
): Promise<Merged> {
  let stripped: Issue[] = []
  const edited = await editDraft(ctx, edit, async (draft) => {
    const merged = await inTurns(mergedWith(draft.document, await partsFor(draft)))
    await giveWay()
    stripped = merged.warnings
    const checked = await inTurns(checkInParts(merged.document))
    if (!checked.ok) throw refusedStructure(checked.issues)
    return checked.value
  })
  refuseIntroduced(edited.introduced)
  return { edited, warnings: [...stripped, ...edited.introduced].map(({ path, message }) => `${path}: ${message}`) }
}

const MAX_FIELDS = 50

function refusedStructure(issues: readonly Issue[]) {
  return invalidArguments(
    issues.slice(0, MAX_FIELDS).map(({ path, message, code }) => ({
      path: path || '/',
      message:
        code === 'unknownKey' && path.endsWith('/currency')
          ? 'amounts are in the currency of the event, which update_event changes while nothing is ordered'
          : message,
    })),
  )
}

/** What was wrong before may stay so; nothing wrong may come in. What records need is said with their number. */
function refuseIntroduced(introduced: readonly Issue[]): void {
  const orphans = introduced.filter(({ level }) => level === 'orphan')
  const fields = (issues: readonly Issue[]) => issues.slice(0, MAX_FIELDS).map(({ path, message }) => ({ path, message }))
  if (orphans[0]) throw preconditionFailed(`Nothing was saved: ${orphans[0].path}: ${orphans[0].message}`, { fields: fields(orphans) })
  const open = introduced.filter(({ level }) => level !== 'warning')
  if (open.length > 0) throw invalidArguments(fields(open))
}
