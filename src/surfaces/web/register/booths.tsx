import { raw } from 'hono/html'
import { NON_ANSWER_FORM_FIELDS } from '../../../domains/checkout/sent-page.ts'
import type { WidgetOfType } from '../../../domains/configuration/schema/widgets.ts'
import type { AvailableBooth } from '../../../domains/exhibitors/available-booths.ts'
import { listOfferedBoothSizes, MAX_REQUESTED_BOOTH_SIZES } from '../../../domains/exhibitors/booth-requests.ts'
import { formatNumber } from '../../../kernel/language/format.ts'
import { Checkbox, Input, Select } from '../components/forms.tsx'
import { FieldGroup } from './fields.tsx'
import { findErrorMessage, type RegistrationPageView } from './view.ts'

/**
 * The choice of preferred sizes and booths, in order of preference. The floor plan is only an image: the list below it holds the same
 * information.
 */
export function BoothRequestWidget({ view, widget }: { view: RegistrationPageView; widget: WidgetOfType<'boothRequest'> }) {
  const { say } = view.site.words
  const { booths, progress } = view
  if (!booths) return null
  const savedRequest = progress.stored.booth_request
  const sizes = listOfferedBoothSizes(view.config, widget)
  const choices = [{ value: '', label: say('field.choose') }, ...sizes.map(({ code, name }) => ({ value: code, label: name }))]
  const ranks = (most: number) => Array.from({ length: most }, (_, index) => index + 1)
  const wasSent = view.valueOf(NON_ANSWER_FORM_FIELDS.boothOther).length > 0
  return (
    <FieldGroup field={{ name: `booth-${widget.id}`, label: say('booth.title'), help: say('booth.help') }}>
      {booths.plans.map(({ svg }) => (
        <div class="plan">{raw(svg)}</div>
      ))}
      {booths.free.length > 0 ? <FreeList view={view} free={booths.free} /> : null}
      <div class="days-search">
        {ranks(Math.min(MAX_REQUESTED_BOOTH_SIZES, sizes.length)).map((rank) => (
          <Select
            name={NON_ANSWER_FORM_FIELDS.boothSize(rank)}
            label={say('booth.size', { rank })}
            value={view.valueOf(NON_ANSWER_FORM_FIELDS.boothSize(rank))[0] ?? savedRequest?.sizes[rank - 1] ?? ''}
            options={choices}
            optional={rank === 1 ? undefined : say('field.optional')}
          />
        ))}
        {booths.free.length > 0
          ? ranks(widget.maxPreferences).map((rank) => (
              <Input
                name={NON_ANSWER_FORM_FIELDS.boothNumber(rank)}
                label={say('booth.number', { rank })}
                value={view.valueOf(NON_ANSWER_FORM_FIELDS.boothNumber(rank))[0] ?? savedRequest?.boothNumbers[rank - 1] ?? ''}
                optional={say('field.optional')}
                autocomplete="off"
                maxlength={12}
                error={findErrorMessage(view, NON_ANSWER_FORM_FIELDS.boothNumber(rank))}
              />
            ))
          : null}
      </div>
      <Checkbox
        name={NON_ANSWER_FORM_FIELDS.boothOther}
        value="true"
        label={say('booth.other')}
        checked={wasSent ? view.valueOf(NON_ANSWER_FORM_FIELDS.boothOther)[0] === 'true' : (savedRequest?.acceptOther ?? true)}
      />
    </FieldGroup>
  )
}

function FreeList({ view, free }: { view: RegistrationPageView; free: readonly AvailableBooth[] }) {
  const { say, locale } = view.site.words
  const sizes = new Map(view.config.exhibitorConfig.boothSizes.map(({ code, name }) => [code, name]))
  return (
    <details>
      <summary>{say('booth.free', { count: free.length })}</summary>
      <div class="table-wrap">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">{say('booth.booth')}</th>
              <th scope="col">{say('booth.measures')}</th>
              <th scope="col">{say('booth.where')}</th>
            </tr>
          </thead>
          <tbody>
            {free.map(({ number, width, depth, units, sizeCode, zone, plan }) => (
              <tr>
                <th scope="row">{number}</th>
                <td>
                  {formatNumber(locale, width)} × {formatNumber(locale, depth)} {units}
                  {sizeCode ? ` (${sizes.get(sizeCode) ?? sizeCode})` : null}
                </td>
                <td>{[zone, plan].filter(Boolean).join(', ')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}
