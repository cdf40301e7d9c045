import type { OwnChange } from '../../../domains/checkout/change-own.ts'
import type { StayTold } from '../../../domains/checkout/own-room.ts'
import { formatDays, formatMoney } from '../../../kernel/language/format.ts'
import { Actions, Button, Form, LinkButton } from '../components/forms.tsx'
import { Card, Facts, Notice } from '../components/parts.tsx'
import type { Place } from '../event/place.ts'
import { everyValue, type FormValues } from '../form-values.ts'
import { editPath } from './edit-pages.tsx'
import { isNothing, type MoneyRow, MoneyRows } from './money.tsx'

interface Confirming {
  place: Place
  code: string
  change: OwnChange
  /** What they chose, to be sent again with their word. */
  form: FormValues
  /** The button they pressed. */
  action: string
  csrf: string
  changedMeanwhile: boolean
}

const less = ({ amount, currency }: { amount: string; currency: string }) => ({
  amount: Number(amount) === 0 ? amount : `-${amount}`,
  currency,
})

/** What goes, what comes and what it costs, before anything is changed. */
export function ConfirmEdit({ place, code, change, form, action, csrf, changedMeanwhile }: Confirming) {
  const { say } = place.words
  const { gone, comes, back, extra, balance, creditHeld } = change
  const rows: MoneyRow[] = [
    ...gone.map((line) => ({
      label: say('edit.goes', { name: line.description }),
      about: `× ${line.quantity}`,
      money: less(line.back),
      kind: 'less' as const,
    })),
    ...comes.map((line) => ({ label: say('edit.comes', { name: line.description }), about: `× ${line.quantity}`, money: line.total })),
    ...(isNothing(back) ? [] : [{ label: say('edit.creditNote'), money: back, kind: 'quiet' as const }]),
    ...(isNothing(extra) ? [] : [{ label: say('edit.invoice'), money: extra, kind: 'quiet' as const }]),
    ...(creditHeld === null || isNothing(creditHeld) ? [] : [{ label: say('mine.credit'), money: creditHeld, kind: 'quiet' as const }]),
    ...(balance === null ? [] : [{ label: say('cancel.still'), money: balance, kind: 'total' as const }]),
  ]
  return (
    <div class="checkout-main">
      <h1>{say('edit.confirm')}</h1>
      <p class="lead">{say('edit.confirmLead')}</p>
      {changedMeanwhile ? <Notice tone="warning">{say('edit.changed')}</Notice> : null}
      <Card title={say('edit.what')}>
        <div class="stack">
          <Others place={place} change={change} />
          {rows.length > 0 ? <MoneyRows place={place} rows={rows} /> : null}
          {gone.length > 0 && isNothing(back) ? <p class="muted">{say('edit.nothingBack')}</p> : null}
          {isNothing(extra) ? null : <p class="muted">{say(balance === null ? 'register.groupPays' : 'edit.payLater')}</p>}
        </div>
      </Card>
      <Form action={editPath(place, code)} csrf={csrf} class="stack">
        {chosenIn(form).map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <input type="hidden" name="agreed" value={change.digest} />
        <input type="hidden" name="asked" value={action} />
        <Actions>
          <Button tone="primary" name="do" value="confirm">
            {say('edit.doIt')}
          </Button>
          <Button name="do" value="back">
            {say('edit.backToChoice')}
          </Button>
          <LinkButton href={place.paths.myRegistration} tone="quiet">
            {say('edit.keep')}
          </LinkButton>
        </Actions>
      </Form>
    </div>
  )
}

/** Who comes or goes, and the room before and after. */
function Others({ place, change: { guests, room } }: Pick<Confirming, 'place' | 'change'>) {
  const { say } = place.words
  const told: [string, string][] = [
    ...guests.come.map((name): [string, string] => [say('edit.guestComes'), name]),
    ...guests.gone.map((name): [string, string] => [say('edit.guestGoes'), name]),
    ...(room?.before ? [[say('edit.roomBefore'), stayText(place, room.before)] as [string, string]] : []),
    ...(room?.after ? [[say('edit.roomAfter'), stayText(place, room.after)] as [string, string]] : []),
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
  return told.length === 0 ? null : <Facts rows={told} />
}

const stayText = ({ words: { say, locale } }: Place, { hotel, roomType, checkIn, checkOut, total }: StayTold) =>
  `${say('room.stay', { hotel, room: roomType })}, ${formatDays(locale, checkIn, checkOut)} · ${formatMoney(locale, total)} ${say('room.atHotel')}`

const OF_THE_FORM = new Set(['_csrf', 'do', 'agreed', 'asked'])

const chosenIn = (form: FormValues): [name: string, value: string][] =>
  Object.keys(form)
    .filter((name) => !OF_THE_FORM.has(name))
    .flatMap((name) => everyValue(form, name).map((value): [string, string] => [name, value]))
