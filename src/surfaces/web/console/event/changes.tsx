import type { LastEdit } from '../../../../domains/configuration/last-edits.ts'
import { TimestampText } from '../../components/parts.tsx'
import type { describeDifferences } from '../../../../domains/configuration/compare.ts'
import { formatSettingTitle } from './setting-titles.ts'

type ConfigChange = Awaited<ReturnType<typeof describeDifferences>>['changes'][number]

const CHANGE_SYMBOLS: Record<ConfigChange['kind'], { sign: string; word: string; look: string }> = {
  added: { sign: '+', word: 'Added', look: 'add' },
  removed: { sign: '−', word: 'Removed', look: 'cut' },
  changed: { sign: '~', word: 'Changed', look: 'edit' },
  moved: { sign: '↕', word: 'Moved', look: 'edit' },
  renamed: { sign: '~', word: 'Renamed', look: 'edit' },
}

interface ChangeListProps {
  changes: readonly ConfigChange[]
  /** The currency of the event, for changed prices. */
  currency: string
  edits?: ReadonlyMap<string, LastEdit>
}

/** The number of changes that are visible at first. Further ones are collapsed, so that the content below the list is not far away. */
const MAX_UNFOLDED_CHANGES = 20

/** The differences between two configurations, one per line. */
export const ChangeList = ({ changes, ...rest }: ChangeListProps) => {
  const folded = changes.slice(MAX_UNFOLDED_CHANGES)
  return (
    <>
      <Changes changes={changes.slice(0, MAX_UNFOLDED_CHANGES)} {...rest} />
      {folded.length > 0 ? (
        <details class="more">
          <summary>{`${folded.length} more`}</summary>
          <Changes changes={folded} {...rest} />
        </details>
      ) : null}
    </>
  )
}

/** Removes the item's code from the description of an effect, because the title of the change already names the item. */
const formatImpact = (note: string) =>
  note.replace(/ (uses?|answered|chose|registered through) \S+$/, ' $1 it').replace(/ have the tag \S+$/, ' have it')

const Changes = ({ changes, currency, edits }: ChangeListProps) => (
  <ul class="changes">
    {changes.map((change) => {
      const { sign, word, look } = CHANGE_SYMBOLS[change.kind]
      return (
        <li>
          <span class={`sign ${look}`} aria-hidden="true">
            {sign}
          </span>
          <div>
            <span class="hidden">{word}: </span>
            <bdi>{formatSettingTitle(change.title)}</bdi>
            <Values change={change} currency={currency} />
            <EditedBy edit={edits?.get(change.path)} />
            {change.impact ? <div class="by">{formatImpact(change.impact.note)}</div> : null}
          </div>
        </li>
      )
    })}
  </ul>
)

const EditedBy = ({ edit }: { edit: LastEdit | undefined }) =>
  edit ? (
    <div class="by">
      <bdi>{edit.by}</bdi> {edit.app === 'console' ? 'in the console' : `through ${edit.app}`}, <TimestampText at={edit.at} />
    </div>
  ) : null

const Values = ({ change: { kind, path, runs, ...values }, currency }: { change: ConfigChange; currency: string }) => {
  const [before, after] = [values.before, values.after].map((value) =>
    value !== null && path.endsWith('/amount') ? `${value} ${currency}` : value,
  ) as [string | null, string | null]
  if (runs)
    return (
      <p class="runs" dir="auto">
        {runs.map(({ kind: what, text }) => (what === 'removed' ? <del>{text}</del> : what === 'added' ? <ins>{text}</ins> : text))}
      </p>
    )
  if (kind === 'moved') return after ? <span class="muted">, moved {after}</span> : null
  if (before === null && after === null) return null
  if (kind === 'changed' || kind === 'renamed')
    return (
      <>
        : {before === null ? null : <del dir="auto">{before}</del>} <span class="hidden">became</span>{' '}
        {after === null ? null : <ins dir="auto">{after}</ins>}
      </>
    )
  return (
    <>
      : <span class="muted">{after ?? before}</span>
    </>
  )
}

/** Maximum number of changes listed on a page. */
export const MAX_LISTED_CHANGES = 90

export const formatChangeCount = (total: number): string => (total === 1 ? '1 change' : `${total} changes`)
