import { listValueDifferences } from '../../../../domains/audit/differences.ts'
import { createNameMapOfOneRecord } from '../../../../domains/audit/names.ts'
import { buildAuditSentence } from '../../../../domains/audit/sentence.ts'
import type { Configuration } from '../../../../domains/configuration/read.ts'
import type { getParticipantDetails } from '../../../../domains/registration/find/get-participant.ts'
import { getQuestionLabel } from '../../../../domains/registration/missing-fields.ts'
import { Card, TimestampText } from '../../components/parts.tsx'
import { DifferenceList, describeOriginApp, formatValueCount, AuditSentenceText } from '../audit/sentence.tsx'
import type { ParticipantPageContext } from './participant-page.ts'

type ParticipantDetails = Awaited<ReturnType<typeof getParticipantDetails>>

const MOST_ENTRIES = 25
const MOST_VALUES = 12

/** The audit entries of one registration, newest first. */
export const ParticipantHistory = ({
  at,
  whole,
  config,
}: {
  at: ParticipantPageContext
  whole: ParticipantDetails
  config: Configuration['config']
}) => {
  const { id, name } = whole.participant
  // Users without permission to see the answers do not see the questions either.
  const labels = (field: string) => (field.startsWith('@') && whole.withheld.length === 0 ? getQuestionLabel(config, field) : null)
  const entries = (whole.history ?? []).slice(0, MOST_ENTRIES).map(({ changes, ...entry }) => {
    const fields = Object.fromEntries(changes.map(({ path, before, after }) => [path, { before, after }]))
    const target = { kind: 'participant', id, fields }
    const done = { tool: entry.tool, client: null, event: at.event, targets: [target] }
    return {
      ...entry,
      sentence: buildAuditSentence(done, createNameMapOfOneRecord('participant', id, name), () => null),
      differences: listValueDifferences(target, labels),
    }
  })
  return (
    <Card title="History">
      <ol class="log plain-log">
        {entries.map(({ at: when, who, app, sentence, differences }) => (
          <li>
            <div>
              <p class="what">
                <b dir="auto">{who}</b> <AuditSentenceText sentence={sentence} to={() => null} />{' '}
                <span class="muted">{describeOriginApp(app)}</span>
              </p>
              {differences.length > 0 ? (
                <details class="more">
                  <summary>{formatValueCount(differences.length)}</summary>
                  <DifferenceList differences={differences.slice(0, MOST_VALUES)} />
                </details>
              ) : null}
            </div>
            <TimestampText at={new Date(when)} />
          </li>
        ))}
      </ol>
    </Card>
  )
}
