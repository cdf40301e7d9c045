import type { TaxRate } from '../../kernel/ports.ts'

/** Of the rows below: the year and month up to which they tell the changes that we know of. */
export const SHIPPED_VERSION = '2026-01'

type Step = readonly [from: string, rate: string]

/** Each rate ends on the day before the next one. */
const steps = (country: string, source: string, ...list: readonly Step[]): TaxRate[] =>
  list.map(([from, rate], index) => ({ country, region: null, rate, components: [], from, until: dayBefore(list[index + 1]?.[0]), source }))

const dayBefore = (day: string | undefined) =>
  day === undefined ? null : new Date(Date.parse(`${day}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10)

const GST = { code: 'gst', name: 'GST', rate: '5' }
const FEDERAL = 'Canada Revenue Agency'

/** Canada: one harmonised tax, or the federal tax and one of the province beside it. */
const harmonised = (region: string, ...list: readonly Step[]): TaxRate[] =>
  steps('CA', FEDERAL, ...list).map((row) => ({ ...row, region, components: [{ code: 'hst', name: 'HST', rate: row.rate }] }))

function shared(
  region: string,
  tax: { code: string; name: string; source: string },
  ...list: readonly [string, string, string][]
): TaxRate[] {
  return steps('CA', `${FEDERAL}; ${tax.source}`, ...list.map(([from, whole]): Step => [from, whole])).map((row, index) => ({
    ...row,
    region,
    components: [GST, { code: tax.code, name: tax.name, rate: list[index]![2] }],
  }))
}

const federalOnly = (...regions: readonly string[]): TaxRate[] =>
  regions.flatMap((region) => steps('CA', FEDERAL, ['2008-01-01', '5']).map((row) => ({ ...row, region, components: [GST] })))

/**
 * Standard rates, with what was before each change that sales of recent years can have met. Nothing for the United States: what
 * admissions bear there differs by state, county and city.
 */
export const SHIPPED_ROWS: readonly TaxRate[] = [
  ...steps('AT', 'Federal Ministry of Finance, Austria', ['1984-01-01', '20']),
  ...steps('BE', 'Federal Public Service Finance, Belgium', ['1996-01-01', '21']),
  ...steps('BG', 'National Revenue Agency, Bulgaria', ['1999-01-01', '20']),
  ...steps('CY', 'Tax Department, Cyprus', ['2013-01-14', '18'], ['2014-01-13', '19']),
  ...steps('CZ', 'Financial Administration, Czech Republic', ['2010-01-01', '20'], ['2013-01-01', '21']),
  ...steps('DE', 'Federal Central Tax Office, Germany', ['2007-01-01', '19'], ['2020-07-01', '16'], ['2021-01-01', '19']),
  ...steps('DK', 'Danish Tax Agency', ['1992-01-01', '25']),
  ...steps('EE', 'Estonian Tax and Customs Board', ['2009-07-01', '20'], ['2024-01-01', '22'], ['2025-07-01', '24']),
  ...steps('ES', 'Tax Agency, Spain', ['2010-07-01', '18'], ['2012-09-01', '21']),
  ...steps('FI', 'Finnish Tax Administration', ['2010-07-01', '23'], ['2013-01-01', '24'], ['2024-09-01', '25.5']),
  ...steps('FR', 'Directorate General of Public Finances, France', ['2000-04-01', '19.6'], ['2014-01-01', '20']),
  ...steps('GR', 'Independent Authority for Public Revenue, Greece', ['2010-07-01', '23'], ['2016-06-01', '24']),
  ...steps('HR', 'Tax Administration, Croatia', ['2009-08-01', '23'], ['2012-03-01', '25']),
  ...steps('HU', 'National Tax and Customs Administration, Hungary', ['2009-07-01', '25'], ['2012-01-01', '27']),
  ...steps('IE', 'Revenue Commissioners, Ireland', ['2012-01-01', '23'], ['2020-09-01', '21'], ['2021-03-01', '23']),
  ...steps('IT', 'Revenue Agency, Italy', ['2011-09-17', '21'], ['2013-10-01', '22']),
  ...steps('LT', 'State Tax Inspectorate, Lithuania', ['2009-09-01', '21']),
  ...steps(
    'LU',
    'Registration Duties, Estates and VAT Authority, Luxembourg',
    ['2015-01-01', '17'],
    ['2023-01-01', '16'],
    ['2024-01-01', '17'],
  ),
  ...steps('LV', 'State Revenue Service, Latvia', ['2011-01-01', '22'], ['2012-07-01', '21']),
  ...steps('MT', 'Commissioner for Tax and Customs, Malta', ['2004-01-01', '18']),
  ...steps('NL', 'Tax and Customs Administration, Netherlands', ['2001-01-01', '19'], ['2012-10-01', '21']),
  ...steps('PL', 'Ministry of Finance, Poland', ['1993-07-05', '22'], ['2011-01-01', '23']),
  ...steps('PT', 'Tax and Customs Authority, Portugal', ['2010-07-01', '21'], ['2011-01-01', '23']),
  ...steps(
    'RO',
    'National Agency for Fiscal Administration, Romania',
    ['2010-07-01', '24'],
    ['2016-01-01', '20'],
    ['2017-01-01', '19'],
    ['2025-08-01', '21'],
  ),
  ...steps('SE', 'Swedish Tax Agency', ['1990-07-01', '25']),
  ...steps('SI', 'Financial Administration, Slovenia', ['2002-01-01', '20'], ['2013-07-01', '22']),
  ...steps('SK', 'Financial Administration, Slovakia', ['2011-01-01', '20'], ['2025-01-01', '23']),

  ...steps('CH', 'Federal Tax Administration, Switzerland', ['2011-01-01', '8'], ['2018-01-01', '7.7'], ['2024-01-01', '8.1']),
  ...steps('GB', 'HM Revenue and Customs', ['2010-01-01', '17.5'], ['2011-01-04', '20']),
  ...steps('IS', 'Iceland Revenue and Customs', ['2010-01-01', '25.5'], ['2015-01-01', '24']),
  ...steps('NO', 'Norwegian Tax Administration', ['2005-01-01', '25']),

  ...steps('AE', 'Federal Tax Authority, United Arab Emirates', ['2018-01-01', '5']),
  ...steps('AU', 'Australian Taxation Office', ['2000-07-01', '10']),
  ...steps('IL', 'Israel Tax Authority', ['2013-06-02', '18'], ['2015-10-01', '17'], ['2025-01-01', '18']),
  ...steps('IN', 'Central Board of Indirect Taxes and Customs, India', ['2017-07-01', '18']),
  ...steps('JP', 'National Tax Agency, Japan', ['2014-04-01', '8'], ['2019-10-01', '10']),
  ...steps('KR', 'National Tax Service, Korea', ['1977-07-01', '10']),
  ...steps('MX', 'Tax Administration Service, Mexico', ['2010-01-01', '16']),
  ...steps('NZ', 'Inland Revenue, New Zealand', ['1989-07-01', '12.5'], ['2010-10-01', '15']),
  ...steps('SA', 'Zakat, Tax and Customs Authority, Saudi Arabia', ['2018-01-01', '5'], ['2020-07-01', '15']),
  ...steps('SG', 'Inland Revenue Authority of Singapore', ['2007-07-01', '7'], ['2023-01-01', '8'], ['2024-01-01', '9']),
  ...steps('TR', 'Revenue Administration, Türkiye', ['2001-05-15', '18'], ['2023-07-10', '20']),
  ...steps('ZA', 'South African Revenue Service', ['1993-04-07', '14'], ['2018-04-01', '15']),

  ...federalOnly('AB', 'NT', 'NU', 'YT'),
  ...shared('BC', { code: 'pst', name: 'PST', source: 'Ministry of Finance, British Columbia' }, ['2013-04-01', '12', '7']),
  ...shared('MB', { code: 'pst', name: 'PST', source: 'Manitoba Finance' }, ['2013-07-01', '13', '8'], ['2019-07-01', '12', '7']),
  ...shared(
    'SK',
    { code: 'pst', name: 'PST', source: 'Saskatchewan Ministry of Finance' },
    ['2008-01-01', '10', '5'],
    ['2017-03-23', '11', '6'],
  ),
  ...shared('QC', { code: 'qst', name: 'QST', source: 'Revenu Québec' }, ['2013-01-01', '14.975', '9.975']),
  ...harmonised('NB', ['2008-01-01', '13'], ['2016-07-01', '15']),
  ...harmonised('NL', ['2008-01-01', '13'], ['2016-07-01', '15']),
  ...harmonised('NS', ['2010-07-01', '15'], ['2025-04-01', '14']),
  ...harmonised('ON', ['2010-07-01', '13']),
  ...harmonised('PE', ['2013-04-01', '14'], ['2016-10-01', '15']),
]
