import { type DeliverySuspensionReason, SUSPENSION_REASONS, toSchedule } from '../../../../domains/reports/designed/deliveries/save.ts'
import { listNextDeliveryTimes } from '../../../../domains/reports/designed/deliveries/schedule.ts'
import type { ReportDeliveryRow, DesignedReportRow } from '../../../../domains/reports/designed/tables.ts'
import { formatDay, formatInstantWithTimeZone } from '../../../../kernel/language/format.ts'
import { SubmitForm } from '../../components/form-page.tsx'
import { AssistantPrompt, Card, DescriptionList, Notice, StatusDot, type ColourTone } from '../../components/parts.tsx'

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
const STATE_TONES: Record<ReportDeliveryRow['state'], ColourTone | undefined> = {
  active: 'success',
  suspended: 'warning',
  ended: undefined,
}
const SHOWN_TIMES = 3

function describeSchedule({ every, weekday, month_day, at }: ReportDeliveryRow, timezone: string): string {
  const day = every === 'day' ? 'Every day' : every === 'week' ? `Every ${WEEKDAYS[weekday! - 1]}` : `On day ${month_day} of every month`
  return `${day} at ${at} (${timezone})`
}

export const ReportDeliveryStatus = ({ state }: Pick<ReportDeliveryRow, 'state'>) => (
  <StatusDot tone={STATE_TONES[state]}>{state}</StatusDot>
)

interface DeliveryCardProps {
  report: DesignedReportRow
  delivery: ReportDeliveryRow | null
  now: Date
  timezone: string
  /** The path that the forms are submitted to; null without the permission to change reports. */
  action: string | null
  csrf: string
}

/** The recipients and the schedule of a report, with buttons to pause and end the delivery. */
export const ReportDeliveryCard = ({ report, delivery, now, timezone, action, csrf }: DeliveryCardProps) => {
  if (!delivery)
    return (
      <Card title="Delivery" id="delivery">
        <p class="muted">This report is not sent by email.</p>
        {action ? <AssistantPrompt id="ask-delivery" text={`Email the report “${report.name}” to me every Monday at 08:00.`} /> : null}
      </Card>
    )
  const moment = (at: Date) => formatInstantWithTimeZone('en-GB', at, timezone)
  const next = delivery.state === 'active' ? listNextDeliveryTimes(toSchedule(delivery), timezone, now, SHOWN_TIMES) : []
  const reason = delivery.suspended_reason as DeliverySuspensionReason | null
  return (
    <Card title="Delivery" id="delivery">
      {reason ? <Notice tone="warning">{SUSPENSION_REASONS[reason]}</Notice> : null}
      <DescriptionList
        rows={[
          ['Status', <ReportDeliveryStatus state={delivery.state} />],
          ['Schedule', describeSchedule(delivery, timezone)],
          ['Until', formatDay('en-GB', delivery.until)],
          ['Recipients', <bdi>{delivery.recipients.join(', ')}</bdi>],
          ['Format', delivery.format.toUpperCase()],
          ['Saved by', <bdi>{delivery.saved_by_name}</bdi>],
          ['Last sent', delivery.last_at ? moment(delivery.last_at) : 'never'],
          ...(next.length > 0 ? [['Next', next.map(moment).join(' · ')] as [string, string]] : []),
        ]}
      />
      {action && delivery.state !== 'ended' ? (
        <div class="actions">
          {delivery.state === 'active' ? (
            <SubmitForm action={action} csrf={csrf} hidden={{ act: 'pause' }} submit="Pause delivery" tone="plain" />
          ) : null}
          <SubmitForm action={action} csrf={csrf} hidden={{ act: 'end' }} submit="End delivery" tone="danger" />
        </div>
      ) : null}
      {action && delivery.state !== 'active' ? (
        <AssistantPrompt id="ask-delivery" text={`Show me the delivery of the report “${report.name}” and start it again.`} />
      ) : null}
    </Card>
  )
}
