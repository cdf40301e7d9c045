import type { EventContext } from '../../kernel/context.ts'
import { invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import { yieldToEventLoop, runTaskCooperatively } from '../../kernel/cooperative.ts'
import type { ConfigIssue } from '../configuration/issues.ts'
import type { Configuration } from '../configuration/read.ts'
import { checkInParts } from '../configuration/structure.ts'
import { type ConfigDraftEdit, editConfigDraft, type ConfigDraftEditResult } from './edit.ts'
import { mergeDocument } from './merge.ts'

interface MergeResult {
  edited: ConfigDraftEditResult
  warnings: string[]
}

/**
 * Merges a partial configuration into the draft, matching list items by key. Changes nothing if the result would be invalid. Never
 * deletes anything.
 */
export async function mergeIntoConfigDraft(
  ctx: EventContext,
  edit: ConfigDraftEdit,
  partsFor: (draft: Configuration) => object | Promise<object>,
): Promise<MergeResult> {
  let stripped: ConfigIssue[] = []
  const edited = await editConfigDraft(ctx, edit, async (draft) => {
    const merged = await runTaskCooperatively(mergeDocument(draft.document, await partsFor(draft)))
    await yieldToEventLoop()
    stripped = merged.warnings
    const checked = await runTaskCooperatively(checkInParts(merged.document))
    if (!checked.ok) throw refusedStructure(checked.issues)
    return checked.value
  })
  refuseIntroduced(edited.introduced)
  return { edited, warnings: [...stripped, ...edited.introduced].map(({ path, message }) => `${path}: ${message}`) }
}

const MAX_FIELDS = 50

function refusedStructure(issues: readonly ConfigIssue[]) {
  return invalidArguments(
    issues.slice(0, MAX_FIELDS).map(({ path, message, code }) => ({
      path: path || '/',
      message:
        code === 'unknownKey' && path.endsWith('/currency')
          ? 'amounts use the currency of the event; change it with update_event before the first order'
          : message,
    })),
  )
}

/** Existing issues may remain, but the merge must not introduce new ones. */
function refuseIntroduced(introduced: readonly ConfigIssue[]): void {
  const orphans = introduced.filter(({ level }) => level === 'orphan')
  const fields = (issues: readonly ConfigIssue[]) => issues.slice(0, MAX_FIELDS).map(({ path, message }) => ({ path, message }))
  if (orphans[0]) throw preconditionFailed(`Nothing was saved: ${orphans[0].path}: ${orphans[0].message}`, { fields: fields(orphans) })
  const open = introduced.filter(({ level }) => level !== 'warning')
  if (open.length > 0) throw invalidArguments(fields(open))
}
