import { scheduleStatusEmail } from '../../../../domains/registration/due-emails.ts'
import { editParticipant } from '../../../../domains/registration/edit/edit.ts'
import { toEditResult } from '../../../../domains/registration/edit/edit-result.ts'
import { getParticipantDetails } from '../../../../domains/registration/find/get-participant.ts'
import type { EventContext } from '../../../../kernel/context.ts'
import { Checkbox, Input } from '../../components/forms.tsx'
import { renderChangePreviewPage } from '../../components/preview-then-confirm.tsx'
import { catchFormErrors, type FormErrors } from '../../fields.ts'
import { getCsrfToken, type FormValues, type WebServices, type WebContext } from '../../web.ts'
import { runEventChange, previewEventChange } from '../event/event-page.ts'
import { formatAmountWithCurrency } from '../money/amounts.ts'
import { createConsoleRouter, requireConsoleForm, sendConsolePage } from '../frame.tsx'
import { getNavigationPosition } from '../navigation.ts'
import { type ParticipantPageContext, getParticipantPageContext, getParticipantRow, CONSOLE_PARTICIPANT_PATH } from './participant-page.ts'

const CREDITS = ['policy', 'full', 'none'] as const
type Credit = (typeof CREDITS)[number]

const CREDIT_LABELS: Record<Credit, string> = { policy: 'By the terms', full: 'Full refund', none: 'No refund' }

const readCredit = (value: string | undefined): Credit => CREDITS.find((one) => one === value) ?? 'policy'

interface Cancelling {
  credit: Credit
  reason?: string | undefined
  revision: number
}

/** Cancels the registration. Used for both the dry run and the actual change. */
async function cancel(ctx: EventContext, id: string, { credit, reason, revision }: Cancelling) {
  const edit = {
    status: 'cancelled' as const,
    credit,
    reason,
    keepGuests: false,
    reprice: false,
    overrideCapacity: false,
    ifRevision: revision,
  }
  return editParticipant(ctx, await getParticipantRow(ctx, id), edit)
}

/** `…/participants/<id>/cancel`: shows the effects of cancelling with amounts, then cancels. */
export function participantCancellationPages(web: WebServices) {
  async function page(c: WebContext, at: ParticipantPageContext, form: FormValues = {}, formErrors: FormErrors | null = null) {
    const credit = readCredit(form['credit'] ?? c.req.query('credit'))
    const { revision } = at.row
    const dryRun = await previewEventChange(web, at, 'edit_participant', async (ctx) =>
      toEditResult(ctx, await cancel(ctx, at.row.id, { credit, revision })),
    )
    const { guests } = await getParticipantDetails(at.reading, { participantId: at.row.id, includeTestData: true })
    const leaving = guests.filter(({ status }) => status !== 'cancelled').length
    const { creditNote, balanceAfter, creditHeld } = dryRun.money
    const words = [
      `the registration is cancelled immediately and all its seats become available.`,
      ...(leaving > 0 ? [leaving === 1 ? '1 guest is cancelled too.' : `${leaving} guests are cancelled too.`] : []),
      creditNote ? `A credit note of ${formatAmountWithCurrency(creditNote.total)} is issued.` : 'No credit note is issued.',
      `The balance of the order is ${formatAmountWithCurrency(balanceAfter)} afterwards${Number(creditHeld.amount) === 0 ? '' : `, with ${formatAmountWithCurrency(creditHeld)} held as credit`}. No money is paid back yet.`,
    ].join(' ')
    const shown = renderChangePreviewPage({
      title: `Cancel the registration of ${at.name}?`,
      crumbs: [{ href: at.here, label: at.name }],
      formErrors,
      action: `${at.here}/cancel`,
      csrf: getCsrfToken(web, c),
      hidden: { credit, revision },
      fields: (
        <>
          {at.permissions.has('money.write') ? (
            <div class="field">
              <b id="refund">Refund</b>
              <nav class="switch" aria-labelledby="refund">
                {CREDITS.map((one) => (
                  <a href={`${at.here}/cancel?credit=${one}`} aria-current={one === credit ? 'true' : undefined}>
                    {CREDIT_LABELS[one]}
                  </a>
                ))}
              </nav>
            </div>
          ) : null}
          <Input name="reason" label="Reason" optional="(optional)" value={form['reason']} maxlength={500} autocomplete="off" />
          <Checkbox name="mail" label="Send the cancellation email" checked={form['mail'] === 'on'} />
        </>
      ),
      condition: 'If you cancel:',
      effects: words,
      submit: creditNote ? `Cancel and credit ${formatAmountWithCurrency(creditNote.total)}` : 'Cancel registration',
      back: { href: at.here, label: 'Keep registration' },
    })
    return sendConsolePage(web, c, getNavigationPosition(at, 'participants'), shown)
  }

  return createConsoleRouter(web)
    .get(`${CONSOLE_PARTICIPANT_PATH}/cancel`, async (c) => page(c, await getParticipantPageContext(web, c, 'registration.write')))
    .post(`${CONSOLE_PARTICIPANT_PATH}/cancel`, async (c) => {
      const form = await requireConsoleForm(web, c)
      const at = await getParticipantPageContext(web, c, 'registration.write')
      const request = {
        credit: readCredit(form['credit']),
        reason: form['reason']?.trim().slice(0, 500) || undefined,
        revision: Number(form['revision']) || 0,
      }
      const formErrors = await catchFormErrors(
        () =>
          runEventChange(web, at, 'edit_participant', async (ctx) => {
            const edited = await cancel(ctx, at.row.id, request)
            if (form['mail'] === 'on' && edited.changed.length > 0) await scheduleStatusEmail(ctx, edited.participant)
          }),
        () => '',
      )
      if (formErrors?.reason === 'movedOn')
        return page(c, at, form, { message: 'Another user changed this registration in the meantime. Review it again before you cancel.' })
      return formErrors ? page(c, at, form, formErrors) : c.redirect(`${at.here}?done=cancelled`, 303)
    })
}
