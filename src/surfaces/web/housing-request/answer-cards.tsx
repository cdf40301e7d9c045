import { listStayNights } from '../../../domains/housing/stay.ts'
import type { BlockRequestRow } from '../../../domains/block-requests/tables.ts'
import { formatDay, formatInstantWithTimeZone, formatShortDay } from '../../../kernel/language/format.ts'
import { addDays } from '../../../kernel/time.ts'
import { SubmitForm } from '../components/form-page.tsx'
import { findFieldError, Input, TextArea } from '../components/forms.tsx'
import { Card } from '../components/parts.tsx'
import { type RequestCardProps, getRefusedFormValues } from './request-view.ts'

export const RoomOfferAnswerCard = ({ open: { row, site }, action, csrf }: RequestCardProps) => {
  const { say, locale } = site.words
  return (
    <Card title={say('blockRequest.answer')}>
      <div class="stack">
        {row.accept_by === null ? null : <p>{say('blockRequest.answerBy', { day: formatDay(locale, row.accept_by) })}</p>}
        <SubmitForm action={action} csrf={csrf} submit={say('blockRequest.accept')} submitAs={{ name: 'do', value: 'accept' }} />
        <details>
          <summary>{say('blockRequest.decline')}</summary>
          <SubmitForm
            action={action}
            csrf={csrf}
            submit={say('blockRequest.decline')}
            tone="danger"
            submitAs={{ name: 'do', value: 'decline' }}
          >
            <p class="muted">{say('blockRequest.declineText')}</p>
          </SubmitForm>
        </details>
      </div>
    </Card>
  )
}

/** Lists the nights whose number of rooms can be changed: the nights of the request, the night before and the night after. */
export function listChangeableNights({ profile }: Pick<BlockRequestRow, 'profile'>): { night: string; rooms: number }[] {
  const days = profile.map(({ night }) => night).toSorted()
  const rooms = new Map(profile.map((one) => [one.night, one.rooms]))
  return listStayNights(addDays(days[0]!, -1), addDays(days.at(-1)!, 2)).map((night) => ({ night, rooms: rooms.get(night) ?? 0 }))
}

const Pending = ({ open: { site }, view, action, csrf }: RequestCardProps) => {
  const { say, locale } = site.words
  const { changes, created_at: at, id, reason } = view.pending!
  return (
    <Card title={say('blockRequest.pending')} id="amend">
      <div class="stack">
        <dl class="lines">
          {changes.map(({ night, delta }) => (
            <div>
              <dt>{formatShortDay(locale, night)}</dt>
              <dd>{delta > 0 ? `+${delta}` : `−${-delta}`}</dd>
            </div>
          ))}
        </dl>
        {reason ? <p class="pre">{reason}</p> : null}
        <p class="muted">
          {say('blockRequest.asked', { moment: formatInstantWithTimeZone(locale, at, site.facts.timezone) })}{' '}
          {say('blockRequest.pendingText')}
        </p>
        <SubmitForm
          action={action}
          csrf={csrf}
          hidden={{ amendment: id }}
          submit={say('blockRequest.withdraw')}
          tone="plain"
          wide
          submitAs={{ name: 'do', value: 'withdraw' }}
        />
      </div>
    </Card>
  )
}

/** The form to request another number of rooms. While a requested change is pending, shows that change instead. */
export const RoomRequestChangeCard = (shown: RequestCardProps) => {
  const { open, view, action, csrf, formErrors } = shown
  const { row, site } = open
  const { say, locale } = site.words
  if (view.pending) return <Pending {...shown} />
  if (view.amendUntil !== null && view.today > view.amendUntil)
    return (
      <Card title={say('blockRequest.change')} id="amend">
        <p class="muted">{say('blockRequest.amendEnded', { day: formatDay(locale, view.amendUntil) })}</p>
      </Card>
    )
  const sent = getRefusedFormValues(shown, 'change')
  return (
    <Card title={say('blockRequest.change')} id="amend">
      <SubmitForm
        action={action}
        csrf={csrf}
        submit={say('blockRequest.sendChange')}
        tone="plain"
        wide
        submitAs={{ name: 'do', value: 'change' }}
      >
        <p class="muted">{say('blockRequest.changeHelp')}</p>
        <div class="fields pairs">
          {listChangeableNights(row).map(({ night, rooms }) => (
            <div class="half">
              <Input
                name={`night-${night}`}
                label={formatShortDay(locale, night)}
                value={sent[`night-${night}`] ?? String(rooms)}
                error={sent['do'] ? findFieldError(formErrors?.errors, `night-${night}`) : undefined}
                type="number"
                inputmode="numeric"
                min={0}
                max={500}
                autocomplete="off"
              />
            </div>
          ))}
        </div>
        <TextArea name="reason" label={say('blockRequest.reason')} optional={say('field.optional')} value={sent['reason'] ?? ''} rows={2} />
      </SubmitForm>
    </Card>
  )
}
