import { differencesOf } from '../../../../domains/audit/differences.ts'
import { onlyName } from '../../../../domains/audit/names.ts'
import { sentenceOf } from '../../../../domains/audit/sentence.ts'
import type { Configuration } from '../../../../domains/configuration/read.ts'
import type { getParticipant } from '../../../../domains/registration/get-participant.ts'
import { labelOf } from '../../../../domains/registration/missing.ts'
import { Card, Time } from '../../components/parts.tsx'
import { Differences, throughApp, valuesInWords, Words } from '../audit/told.tsx'
import type { AtPerson } from './at-person.ts'

type Whole = Awaited<ReturnType<typeof getParticipant>>

const MOST_ENTRIES = 25
const MOST_VALUES = 12

/** Everything that happened to one registration, the newest first. */
export const History = ({ at, whole, config }: { at: AtPerson; whole: Whole; config: Configuration['config'] }) => {
  const { id, name } = whole.participant
  // Whoever may not see the answers is not told the questions here either.
  const labels = (field: string) => (field.startsWith('@') && whole.withheld.length === 0 ? labelOf(config, field) : null)
  const entries = (whole.history ?? []).slice(0, MOST_ENTRIES).map(({ changes, ...entry }) => {
    const fields = Object.fromEntries(changes.map(({ path, before, after }) => [path, { before, after }]))
    const target = { kind: 'participant', id, fields }
    const done = { tool: entry.tool, client: null, event: at.event, targets: [target] }
    return {
      ...entry,
      sentence: sentenceOf(done, onlyName('participant', id, name), () => null),
      differences: differencesOf(target, labels),
    }
  })
  return (
    <Card title="History">
      <ol class="log plain-log">
        {entries.map(({ at: when, who, app, sentence, differences }) => (
          <li>
            <div>
              <p class="what">
                <b dir="auto">{who}</b> <Words sentence={sentence} to={() => null} /> <span class="muted">{throughApp(app)}</span>
              </p>
              {differences.length > 0 ? (
                <details class="more">
                  <summary>{valuesInWords(differences.length)}</summary>
                  <Differences differences={differences.slice(0, MOST_VALUES)} />
                </details>
              ) : null}
            </div>
            <Time at={new Date(when)} />
          </li>
        ))}
      </ol>
    </Card>
  )
}
