import type { TaxRate } from '../../kernel/ports.ts'

/** The year and month up to which known changes of tax rates are included. */
export const BUILT_IN_TAX_RATES_VERSION = '2026-01'

type RateStep = readonly [from: string, rate: string]

/** Builds the tax rates of a country. Each rate ends on the day before the next one. */
const buildRates = (country: string, source: string, ...list: readonly RateStep[]): TaxRate[] =>
  list.map(([from, rate], index) => ({ country, region: null, rate, components: [], from, until: dayBefore(list[index + 1]?.[0]), source }))

const dayBefore = (day: string | undefined) =>
  day === undefined ? null : new Date(Date.parse(`${day}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10)

const GST = { code: 'gst', name: 'GST', rate: '5' }
const FEDERAL = 'Canada Revenue Agency'

/** Builds the tax rates of a Canadian province: a harmonised tax, or federal plus provincial tax. */
const buildHarmonisedRates = (region: string, ...list: readonly RateStep[]): TaxRate[] =>
  buildRates('CA', FEDERAL, ...list).map((row) => ({ ...row, region, components: [{ code: 'hst', name: 'HST', rate: row.rate }] }))

function buildProvincialRates(
  region: string,
  tax: { code: string; name: string; source: string },
  ...list: readonly [string, string, string][]
): TaxRate[] {
  return buildRates('CA', `${FEDERAL}; ${tax.source}`, ...list.map(([from, whole]): RateStep => [from, whole])).map((row, index) => ({
    ...row,
    region,
    components: [GST, { code: tax.code, name: tax.name, rate: list[index]![2] }],
  }))
}

const buildFederalRates = (...regions: readonly string[]): TaxRate[] =>
  regions.flatMap((region) => buildRates('CA', FEDERAL, ['2008-01-01', '5']).map((row) => ({ ...row, region, components: [GST] })))

/**
 * The standard tax rates, including earlier ones that sales of recent years may have. The United States have none, because rates depend on
 * state, county and city.
 */
export const SHIPPED_TAX_RATES: readonly TaxRate[] = [
  ...buildRates('AT', 'Federal Ministry of Finance, Austria', ['1984-01-01', '20']),
  ...buildRates('BE', 'Federal Public Service Finance, Belgium', ['1996-01-01', '21']),
  ...buildRates('BG', 'National Revenue Agency, Bulgaria', ['1999-01-01', '20']),
  ...buildRates('CY', 'Tax Department, Cyprus', ['2013-01-14', '18'], ['2014-01-13', '19']),
  ...buildRates('CZ', 'Financial Administration, Czech Republic', ['2010-01-01', '20'], ['2013-01-01', '21']),
  ...buildRates('DE', 'Federal Central Tax Office, Germany', ['2007-01-01', '19'], ['2020-07-01', '16'], ['2021-01-01', '19']),
  ...buildRates('DK', 'Danish Tax Agency', ['1992-01-01', '25']),
  ...buildRates('EE', 'Estonian Tax and Customs Board', ['2009-07-01', '20'], ['2024-01-01', '22'], ['2025-07-01', '24']),
  ...buildRates('ES', 'Tax Agency, Spain', ['2010-07-01', '18'], ['2012-09-01', '21']),
  ...buildRates('FI', 'Finnish Tax Administration', ['2010-07-01', '23'], ['2013-01-01', '24'], ['2024-09-01', '25.5']),
  ...buildRates('FR', 'Directorate General of Public Finances, France', ['2000-04-01', '19.6'], ['2014-01-01', '20']),
  ...buildRates('GR', 'Independent Authority for Public Revenue, Greece', ['2010-07-01', '23'], ['2016-06-01', '24']),
  ...buildRates('HR', 'Tax Administration, Croatia', ['2009-08-01', '23'], ['2012-03-01', '25']),
  ...buildRates('HU', 'National Tax and Customs Administration, Hungary', ['2009-07-01', '25'], ['2012-01-01', '27']),
  ...buildRates('IE', 'Revenue Commissioners, Ireland', ['2012-01-01', '23'], ['2020-09-01', '21'], ['2021-03-01', '23']),
  ...buildRates('IT', 'Revenue Agency, Italy', ['2011-09-17', '21'], ['2013-10-01', '22']),
  ...buildRates('LT', 'State Tax Inspectorate, Lithuania', ['2009-09-01', '21']),
  ...buildRates(
    'LU',
    'Registration Duties, Estates and VAT Authority, Luxembourg',
    ['2015-01-01', '17'],
    ['2023-01-01', '16'],
    ['2024-01-01', '17'],
  ),
  ...buildRates('LV', 'State Revenue Service, Latvia', ['2011-01-01', '22'], ['2012-07-01', '21']),
  ...buildRates('MT', 'Commissioner for Tax and Customs, Malta', ['2004-01-01', '18']),
  ...buildRates('NL', 'Tax and Customs Administration, Netherlands', ['2001-01-01', '19'], ['2012-10-01', '21']),
  ...buildRates('PL', 'Ministry of Finance, Poland', ['1993-07-05', '22'], ['2011-01-01', '23']),
  ...buildRates('PT', 'Tax and Customs Authority, Portugal', ['2010-07-01', '21'], ['2011-01-01', '23']),
  ...buildRates(
    'RO',
    'National Agency for Fiscal Administration, Romania',
    ['2010-07-01', '24'],
    ['2016-01-01', '20'],
    ['2017-01-01', '19'],
    ['2025-08-01', '21'],
  ),
  ...buildRates('SE', 'Swedish Tax Agency', ['1990-07-01', '25']),
  ...buildRates('SI', 'Financial Administration, Slovenia', ['2002-01-01', '20'], ['2013-07-01', '22']),
  ...buildRates('SK', 'Financial Administration, Slovakia', ['2011-01-01', '20'], ['2025-01-01', '23']),

  ...buildRates('CH', 'Federal Tax Administration, Switzerland', ['2011-01-01', '8'], ['2018-01-01', '7.7'], ['2024-01-01', '8.1']),
  ...buildRates('GB', 'HM Revenue and Customs', ['2010-01-01', '17.5'], ['2011-01-04', '20']),
  ...buildRates('IS', 'Iceland Revenue and Customs', ['2010-01-01', '25.5'], ['2015-01-01', '24']),
  ...buildRates('NO', 'Norwegian Tax Administration', ['2005-01-01', '25']),

  ...buildRates('AE', 'Federal Tax Authority, United Arab Emirates', ['2018-01-01', '5']),
  ...buildRates('AU', 'Australian Taxation Office', ['2000-07-01', '10']),
  ...buildRates('IL', 'Israel Tax Authority', ['2013-06-02', '18'], ['2015-10-01', '17'], ['2025-01-01', '18']),
  ...buildRates('IN', 'Central Board of Indirect Taxes and Customs, India', ['2017-07-01', '18']),
  ...buildRates('JP', 'National Tax Agency, Japan', ['2014-04-01', '8'], ['2019-10-01', '10']),
  ...buildRates('KR', 'National Tax Service, Korea', ['1977-07-01', '10']),
  ...buildRates('MX', 'Tax Administration Service, Mexico', ['2010-01-01', '16']),
  ...buildRates('NZ', 'Inland Revenue, New Zealand', ['1989-07-01', '12.5'], ['2010-10-01', '15']),
  ...buildRates('SA', 'Zakat, Tax and Customs Authority, Saudi Arabia', ['2018-01-01', '5'], ['2020-07-01', '15']),
  ...buildRates('SG', 'Inland Revenue Authority of Singapore', ['2007-07-01', '7'], ['2023-01-01', '8'], ['2024-01-01', '9']),
  ...buildRates('TR', 'Revenue Administration, Türkiye', ['2001-05-15', '18'], ['2023-07-10', '20']),
  ...buildRates('ZA', 'South African Revenue Service', ['1993-04-07', '14'], ['2018-04-01', '15']),

  ...buildFederalRates('AB', 'NT', 'NU', 'YT'),
  ...buildProvincialRates('BC', { code: 'pst', name: 'PST', source: 'Ministry of Finance, British Columbia' }, ['2013-04-01', '12', '7']),
  ...buildProvincialRates(
    'MB',
    { code: 'pst', name: 'PST', source: 'Manitoba Finance' },
    ['2013-07-01', '13', '8'],
    ['2019-07-01', '12', '7'],
  ),
  ...buildProvincialRates(
    'SK',
    { code: 'pst', name: 'PST', source: 'Saskatchewan Ministry of Finance' },
    ['2008-01-01', '10', '5'],
    ['2017-03-23', '11', '6'],
  ),
  ...buildProvincialRates('QC', { code: 'qst', name: 'QST', source: 'Revenu Québec' }, ['2013-01-01', '14.975', '9.975']),
  ...buildHarmonisedRates('NB', ['2008-01-01', '13'], ['2016-07-01', '15']),
  ...buildHarmonisedRates('NL', ['2008-01-01', '13'], ['2016-07-01', '15']),
  ...buildHarmonisedRates('NS', ['2010-07-01', '15'], ['2025-04-01', '14']),
  ...buildHarmonisedRates('ON', ['2010-07-01', '13']),
  ...buildHarmonisedRates('PE', ['2013-04-01', '14'], ['2016-10-01', '15']),
]
