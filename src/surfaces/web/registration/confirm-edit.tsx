import type { OwnRegistrationChangeEffects } from '../../../domains/checkout/change-own.ts'
import type { StaySummary } from '../../../domains/checkout/own-room.ts'
import { formatDateRange, formatMoney } from '../../../kernel/language/format.ts'
import { SubmitForm } from '../components/form-page.tsx'
import { Button, LinkButton } from '../components/forms.tsx'
import { Card, DescriptionList, Notice } from '../components/parts.tsx'
import { MainColumn } from '../event/event-layout.tsx'
import type { EventSite } from '../event/event-site.ts'
import { listFieldValues, type FormValues } from '../form-values.ts'
import { buildEditPath } from './edit-pages.tsx'
import { isZeroAmount, type MoneyRow, MoneyRows } from './money.tsx'

interface ConfirmEditProps {
  site: EventSite
  code: string
  change: OwnRegistrationChangeEffects
  /** The submitted form, sent again as hidden fields on confirmation. */
  form: FormValues
  /** The button that submitted the form. */
  action: string
  csrf: string
  changedMeanwhile: boolean
}

const negate = ({ amount, currency }: { amount: string; currency: string }) => ({
  amount: Number(amount) === 0 ? amount : `-${amount}`,
  currency,
})

/** Shows removed and added items with their amounts before the change is saved. */
export function EditConfirmation({ site, code, change, form, action, csrf, changedMeanwhile }: ConfirmEditProps) {
  const { say } = site.words
  const { removed, added, refund, newCharges, balance, creditHeld } = change
  const rows: MoneyRow[] = [
    ...removed.map((line) => ({
      label: say('edit.removed', { name: line.description }),
      about: `× ${line.quantity}`,
      money: negate(line.refund),
      kind: 'less' as const,
    })),
    ...added.map((line) => ({ label: say('edit.added', { name: line.description }), about: `× ${line.quantity}`, money: line.total })),
    ...(isZeroAmount(refund) ? [] : [{ label: say('edit.creditNote'), money: refund, kind: 'quiet' as const }]),
    ...(isZeroAmount(newCharges) ? [] : [{ label: say('edit.invoice'), money: newCharges, kind: 'quiet' as const }]),
    ...(creditHeld === null || isZeroAmount(creditHeld)
      ? []
      : [{ label: say('myRegistration.credit'), money: creditHeld, kind: 'quiet' as const }]),
    ...(balance === null ? [] : [{ label: say('cancel.stillToPay'), money: balance, kind: 'total' as const }]),
  ]
  return (
    <MainColumn title={say('edit.confirm')} text={say('edit.confirmLead')}>
      {changedMeanwhile ? <Notice tone="warning">{say('edit.changedMeanwhile')}</Notice> : null}
      <Card title={say('edit.changes')}>
        <div class="stack">
          <GuestAndRoomChanges site={site} change={change} />
          {rows.length > 0 ? <MoneyRows site={site} rows={rows} /> : null}
          {removed.length > 0 && isZeroAmount(refund) ? <p class="muted">{say('edit.noRefund')}</p> : null}
          {isZeroAmount(newCharges) ? null : <p class="muted">{say(balance === null ? 'register.groupPays' : 'edit.payLater')}</p>}
        </div>
      </Card>
      <SubmitForm
        action={buildEditPath(site, code)}
        csrf={csrf}
        hidden={[...listFormValues(form), ['agreed', change.digest], ['asked', action]]}
        submit={say('edit.confirmButton')}
        submitAs={{ name: 'do', value: 'confirm' }}
        more={
          <>
            <Button name="do" value="back">
              {say('edit.backToChoice')}
            </Button>
            <LinkButton href={site.paths.myRegistration} tone="quiet">
              {say('edit.discard')}
            </LinkButton>
          </>
        }
      />
    </MainColumn>
  )
}

/** Added and removed guests, and the room before and after the change. */
function GuestAndRoomChanges({ site, change: { guests, room } }: Pick<ConfirmEditProps, 'site' | 'change'>) {
  const { say } = site.words
  const facts: [string, string][] = [
    ...guests.added.map((name): [string, string] => [say('edit.guestAdded'), name]),
    ...guests.removed.map((name): [string, string] => [say('edit.guestRemoved'), name]),
    ...(room?.before ? [[say('edit.roomBefore'), stayText(site, room.before)] as [string, string]] : []),
    ...(room?.after ? [[say('edit.roomAfter'), stayText(site, room.after)] as [string, string]] : []),
    ...(room && !room.after && !room.waitsFor ? [[say('edit.roomAfter'), say('stay.none')] as [string, string]] : []),
    ...(room?.waitsFor
      ? [
          [say('housing.waitlist'), say('register.rankFor', { name: room.waitsFor.hotel ?? '', rank: room.waitsFor.rank })] as [
            string,
            string,
          ],
        ]
      : []),
  ]
  return facts.length === 0 ? null : <DescriptionList rows={facts} />
}

const stayText = ({ words: { say, locale } }: EventSite, { hotel, roomType, checkIn, checkOut, total }: StaySummary) =>
  `${say('room.stay', { hotel, room: roomType })}, ${formatDateRange(locale, checkIn, checkOut)} · ${formatMoney(locale, total)} ${say('room.atHotel')}`

const CONTROL_FIELDS = new Set(['_csrf', 'do', 'agreed', 'asked'])

const listFormValues = (form: FormValues): [name: string, value: string][] =>
  Object.keys(form)
    .filter((name) => !CONTROL_FIELDS.has(name))
    .flatMap((name) => listFieldValues(form, name).map((value): [string, string] => [name, value]))
