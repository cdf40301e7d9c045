import { type HotelPciStatus, getAttestationExpiry } from '../../../domains/housing/pci/status.ts'
import { PCI_DOCUMENT_TYPES, PCI_ATTESTATION_RESULTS } from '../../../domains/housing/pci/records.ts'
import { formatDay, formatNumber } from '../../../kernel/language/format.ts'
import { findFieldError, Form, Input, Checkbox, ErrorSummary, Select } from '../components/forms.tsx'
import { Card, DescriptionList, Notice, type ColourTone } from '../components/parts.tsx'
import type { FormErrors } from '../fields.ts'
import type { HotelPageContext } from './hotel-site.tsx'

interface ReturnedNights {
  returned: number
  pickupFrom: string | null
  pickupDue: string | null
}

/** The badge colours of the states of a card security (PCI) attestation, also used in the console. */
export const PCI_STATUS_COLOURS: Record<HotelPciStatus['status'], ColourTone> = {
  missing: 'warning',
  received: 'accent',
  rejected: 'danger',
  valid: 'success',
  expiring: 'warning',
  expired: 'danger',
}

/** The state of the hotel's card security (PCI) attestation, and the form to upload a new one. */
export const PciAttestationCard = ({
  at,
  pci,
  csrf,
  formErrors,
}: {
  at: HotelPageContext
  pci: HotelPciStatus
  csrf: string
  formErrors: FormErrors | null
}) => {
  const { say, locale } = at.site.words
  const day = pci.record ? formatDay(locale, getAttestationExpiry(pci.record)) : ''
  const error = (name: string) => findFieldError(formErrors?.errors, name)
  const field = (name: string) => ({ name, ...(error(name) ? { error: error(name)! } : {}) })
  return (
    <Card id="cards" title={say('hotel.cards')}>
      <div class="stack">
        <ErrorSummary {...formErrors} />
        <Notice tone={PCI_STATUS_COLOURS[pci.status]}>{say(`hotel.cards.${pci.status}`, { day } as never)}</Notice>
        {pci.record?.decision_reason ? <p>{pci.record.decision_reason}</p> : null}
        <details open={formErrors !== null}>
          <summary>{say('hotel.cards.upload')}</summary>
          <Form action={`${at.home}/attestation`} csrf={csrf} class="stack" files>
            <Select
              {...field('documentType')}
              label={say('hotel.cards.type')}
              options={PCI_DOCUMENT_TYPES.map((value) => ({
                value,
                label: say(value === 'AOC-SAQ' ? 'hotel.cards.saq' : 'hotel.cards.roc'),
              }))}
              value="AOC-SAQ"
            />
            <Select
              {...field('result')}
              label={say('hotel.cards.result')}
              options={PCI_ATTESTATION_RESULTS.map((value) => ({ value, label: say(`hotel.cards.${value}`) }))}
              value="compliant"
            />
            <Input {...field('assessedOn')} type="date" label={say('hotel.cards.assessed')} required />
            <Input {...field('dssVersion')} label={say('hotel.cards.version')} value="4.0.1" maxlength={20} required />
            <Input {...field('entityLegalName')} label={say('hotel.cards.entity')} maxlength={200} required />
            <Input {...field('signedBy')} label={say('hotel.cards.signedBy')} maxlength={200} required />
            <Checkbox name="covers" label={say('hotel.cards.covers')} help={say('hotel.cards.coversHelp')} />
            <div class="upload">
              <label for="aoc">{say('hotel.cards.file')}</label>
              <input type="file" id="aoc" name="aoc" accept="application/pdf" required />
            </div>
            <button type="submit" class="button wide">
              {say('hotel.cards.upload')}
            </button>
          </Form>
        </details>
      </div>
    </Card>
  )
}

/** The dates in the hotel contract, and the number of rooms that were released back to the hotel. */
export const ContractDates = ({ at: { site, contract }, returned }: { at: HotelPageContext; returned: ReturnedNights }) => {
  const { say, locale } = site.words
  const day = (on: string | null | undefined) => (on ? formatDay(locale, on) : null)
  const cutoff = day(contract?.cutoff_on)
  const back = returned.returned > 0 ? say('hotel.returned', { count: formatNumber(locale, returned.returned) }) : null
  const from = day(returned.pickupFrom)
  const rows = (
    [
      [say('hotel.cutoff'), cutoff && [cutoff, back].filter(Boolean).join(' · ')],
      [say('hotel.listDue'), day(contract?.rooming_list_due_on)],
      [say('hotel.pickup'), from && say('hotel.fromDay', { day: from })],
      [say('hotel.pickup.due'), day(returned.pickupDue)],
    ] as const
  ).flatMap(([label, text]) => (text ? [[label, text] as [string, string]] : []))
  if (rows.length === 0) return null
  return (
    <Card title={say('hotel.dates')}>
      <DescriptionList rows={rows} />
    </Card>
  )
}
