import type { Child } from 'hono/jsx'
import { describeScanResult } from '../../../domains/attendance/reasons.ts'
import type { recordScans } from '../../../domains/attendance/record-scans.ts'

import type { Translator } from '../../../kernel/language/translator.ts'

export type DoorScanAnswer = Awaited<ReturnType<typeof recordScans>>['results'][number]

/** The four results of a badge scan at the door, which differ in word, shape and colour. */
export const SCAN_VERDICTS = {
  yes: { title: 'door.letIn', shape: ['M50 6a44 44 0 1 0 0 88a44 44 0 1 0 0-88', 'M29 52l14 14 29-32'] },
  again: { title: 'door.alreadyIn', shape: ['M50 6a44 44 0 1 0 0 88a44 44 0 1 0 0-88', 'M50 24v28l18 12'] },
  no: { title: 'door.doNotLetIn', shape: ['M32 6h36l26 26v36L68 94H32L6 68V32z', 'M34 34l32 32M66 34L34 66'] },
  offline: { title: 'door.letIn', shape: ['M50 6a44 44 0 1 0 0 88a44 44 0 1 0 0-88', 'M29 52l14 14 29-32'] },
} as const

export type ScanVerdictKind = keyof typeof SCAN_VERDICTS

export function getScanVerdictKind({ result, reason }: Pick<DoorScanAnswer, 'result' | 'reason'>): ScanVerdictKind {
  if (result === 'accepted') return 'yes'
  return result === 'duplicate' || reason === 'already_in' ? 'again' : 'no'
}

/** Reasons for a refusal that a supervisor may override. */
export const OVERRIDABLE_REFUSAL_REASONS: readonly string[] = [
  'unpaid',
  'not_allowed',
  'product_missing',
  'not_enrolled',
  'too_early',
  'too_late',
  'already_in',
  'not_in',
  'full',
]

interface VerdictProps {
  kind: ScanVerdictKind
  words: Translator
  title?: string | undefined
  name?: string | undefined
  more?: string | undefined
  hint?: string | undefined
  children?: Child
}

/** The verdict about a scan. The page's script fills in a copy of this block, so each part carries its name in a data attribute. */
export const ScanVerdict = ({ kind, words, title, name, more, hint }: VerdictProps) => (
  <div class={`verdict ${kind}`}>
    <svg class="shape" viewBox="0 0 100 100" aria-hidden="true">
      {SCAN_VERDICTS[kind].shape.map((path) => (
        <path d={path} />
      ))}
    </svg>
    <h1>{title ?? words.say(SCAN_VERDICTS[kind].title)}</h1>
    <p class="name" data-name dir="auto">
      {name}
    </p>
    <p class="more" data-more>
      {more}
    </p>
    <p class="hint" data-hint hidden={hint === undefined}>
      {hint}
    </p>
  </div>
)

export const ScanVerdictTemplates = ({ words }: { words: Translator }) =>
  (Object.keys(SCAN_VERDICTS) as ScanVerdictKind[]).map((kind) => (
    <template data-verdict={kind}>
      <ScanVerdict kind={kind} words={words} hint="" />
    </template>
  ))

export const renderScanVerdict = (answer: DoorScanAnswer, direction: string, words: Translator) => {
  const kind = getScanVerdictKind(answer)
  const { participant, reason, warnings } = answer
  const message = describeScanResult(answer, words)
  return (
    <ScanVerdict
      kind={kind}
      words={words}
      title={kind === 'yes' && direction === 'out' ? words.say('door.checkedOut') : undefined}
      name={participant?.name}
      more={kind === 'yes' ? participant?.company : message}
      hint={kind === 'yes' && (reason || warnings.length > 0) ? message : undefined}
    />
  )
}
