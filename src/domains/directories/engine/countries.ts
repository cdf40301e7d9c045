import { foldText } from '../../../kernel/conditions.ts'

/** ISO 3166-1: the two-letter code and what the three-letter code is, which Intl does not know. */
const CODES =
  'ADAND AEARE AFAFG AGATG AIAIA ALALB AMARM AOAGO AQATA ARARG ASASM ATAUT AUAUS AWABW AXALA AZAZE BABIH BBBRB BDBGD BEBEL BFBFA BGBGR ' +
  'BHBHR BIBDI BJBEN BLBLM BMBMU BNBRN BOBOL BQBES BRBRA BSBHS BTBTN BVBVT BWBWA BYBLR BZBLZ CACAN CCCCK CDCOD CFCAF CGCOG CHCHE CICIV ' +
  'CKCOK CLCHL CMCMR CNCHN COCOL CRCRI CUCUB CVCPV CWCUW CXCXR CYCYP CZCZE DEDEU DJDJI DKDNK DMDMA DODOM DZDZA ECECU EEEST EGEGY EHESH ' +
  'ERERI ESESP ETETH FIFIN FJFJI FKFLK FMFSM FOFRO FRFRA GAGAB GBGBR GDGRD GEGEO GFGUF GGGGY GHGHA GIGIB GLGRL GMGMB GNGIN GPGLP GQGNQ ' +
  'GRGRC GSSGS GTGTM GUGUM GWGNB GYGUY HKHKG HMHMD HNHND HRHRV HTHTI HUHUN IDIDN IEIRL ILISR IMIMN ININD IOIOT IQIRQ IRIRN ISISL ITITA ' +
  'JEJEY JMJAM JOJOR JPJPN KEKEN KGKGZ KHKHM KIKIR KMCOM KNKNA KPPRK KRKOR KWKWT KYCYM KZKAZ LALAO LBLBN LCLCA LILIE LKLKA LRLBR LSLSO ' +
  'LTLTU LULUX LVLVA LYLBY MAMAR MCMCO MDMDA MEMNE MFMAF MGMDG MHMHL MKMKD MLMLI MMMMR MNMNG MOMAC MPMNP MQMTQ MRMRT MSMSR MTMLT MUMUS ' +
  'MVMDV MWMWI MXMEX MYMYS MZMOZ NANAM NCNCL NENER NFNFK NGNGA NINIC NLNLD NONOR NPNPL NRNRU NUNIU NZNZL OMOMN PAPAN PEPER PFPYF PGPNG ' +
  'PHPHL PKPAK PLPOL PMSPM PNPCN PRPRI PSPSE PTPRT PWPLW PYPRY QAQAT REREU ROROU RSSRB RURUS RWRWA SASAU SBSLB SCSYC SDSDN SESWE SGSGP ' +
  'SHSHN SISVN SJSJM SKSVK SLSLE SMSMR SNSEN SOSOM SRSUR SSSSD STSTP SVSLV SXSXM SYSYR SZSWZ TCTCA TDTCD TFATF TGTGO THTHA TJTJK TKTKL ' +
  'TLTLS TMTKM TNTUN TOTON TRTUR TTTTO TVTUV TWTWN TZTZA UAUKR UGUGA UMUMI USUSA UYURY UZUZB VAVAT VCVCT VEVEN VGVGB VIVIR VNVNM VUVUT ' +
  'WFWLF WSWSM XKXKX YEYEM YTMYT ZAZAF ZMZMB ZWZWE'

const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pt', 'pl']

/** As people and directories write them, beside the names that Intl has. */
const ALSO: Readonly<Record<string, string>> = {
  uk: 'GB',
  england: 'GB',
  scotland: 'GB',
  wales: 'GB',
  'northern ireland': 'GB',
  'great britain': 'GB',
  'united states of america': 'US',
  america: 'US',
  holland: 'NL',
  'the netherlands': 'NL',
  'czech republic': 'CZ',
  'south korea': 'KR',
  'republic of korea': 'KR',
  'korea, republic of': 'KR',
  'north korea': 'KP',
  'russian federation': 'RU',
  'viet nam': 'VN',
  'ivory coast': 'CI',
  burma: 'MM',
  macedonia: 'MK',
  swaziland: 'SZ',
  'cabo verde': 'CV',
  'hong kong': 'HK',
  macau: 'MO',
  turkey: 'TR',
  'republic of ireland': 'IE',
  'ireland, republic of': 'IE',
  brd: 'DE',
  // Names of ISO 3166 itself, which lists of countries are often made from.
  'bolivia, plurinational state of': 'BO',
  'brunei darussalam': 'BN',
  'congo, democratic republic of the': 'CD',
  'congo, the democratic republic of the': 'CD',
  'iran, islamic republic of': 'IR',
  "korea, democratic people's republic of": 'KP',
  "lao people's democratic republic": 'LA',
  'macedonia, the former yugoslav republic of': 'MK',
  'micronesia, federated states of': 'FM',
  'moldova, republic of': 'MD',
  'palestine, state of': 'PS',
  'syrian arab republic': 'SY',
  'taiwan, province of china': 'TW',
  'tanzania, united republic of': 'TZ',
  'venezuela, bolivarian republic of': 'VE',
}

let names: Map<string, string> | undefined

/** The alpha-2 code of a country given by its name or by either code; null when it is none. */
export function countryCodeOf(text: string): string | null {
  names ??= nameIndex()
  return names.get(keyOf(text)) ?? null
}

function nameIndex(): Map<string, string> {
  const index = new Map<string, string>()
  const regions = LANGUAGES.map((language) => new Intl.DisplayNames(language, { type: 'region', fallback: 'none' }))
  const codes = CODES.split(' ').map((pair) => ({ alpha2: pair.slice(0, 2), alpha3: pair.slice(2) }))
  for (const { alpha2 } of codes) for (const region of regions) index.set(keyOf(region.of(alpha2) ?? alpha2), alpha2)
  for (const [name, code] of Object.entries(ALSO)) index.set(keyOf(name), code)
  // Codes come last: no name of a country may stand for another one's code.
  for (const { alpha2, alpha3 } of codes) index.set(keyOf(alpha2), alpha2).set(keyOf(alpha3), alpha2)
  return index
}

/** Case, accents, dots and blanks do not make another country. */
const keyOf = (text: string) =>
  foldText(text).normalize('NFD').replace(/\p{M}/gu, '').replace(/&/g, 'and').replace(/[.’']/g, '').replace(/\s+/g, ' ').trim()
