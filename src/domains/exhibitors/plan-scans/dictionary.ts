import type { RecognizedPlanObject } from '../floor/plan-shapes.ts'

export type RecognizedObjectKind = RecognizedPlanObject['kind']

/**
 * Words on floor plans and in names of layers, in English, German, French, Spanish, Italian, Dutch and Portuguese. Accents and case are
 * ignored. All languages are always searched: plans of an English event in Germany are labelled in German.
 */
const WORDS: Record<RecognizedObjectKind, readonly string[]> = {
  fireExit: [
    'emergency exit, fire exit, fire escape, escape route, emergency door, emergency exits, fire exits, exit fire, door fire',
    'notausgang, notausgange, fluchtweg, fluchttur, notausstieg, notausg, fluchtausgang',
    'sortie de secours, issue de secours, sorties de secours, issues de secours, sortie secours, issue secours',
    'salida de emergencia, salidas de emergencia, salida emergencia',
    'uscita di sicurezza, uscita di emergenza, uscite di sicurezza, uscita sicurezza, uscita emergenza',
    'nooduitgang, nooduitgangen, vluchtweg, nooddeur',
    'saida de emergencia, saidas de emergencia, saida emergencia',
  ],
  entrance: [
    'entrance, main entrance, entry, entrances, visitor entrance, way in',
    'eingang, haupteingang, eingange, besuchereingang, einlass, zugang, nebeneingang',
    'entree, entree principale, entrees, entree visiteurs, acces',
    'entrada, entrada principal, entradas, acceso',
    'ingresso, ingresso principale, entrata, ingressi',
    'ingang, hoofdingang, ingangen, toegang',
    'acesso',
  ],
  exit: [
    'exit, exits, way out, main exit',
    'ausgang, ausgange, hauptausgang',
    'sortie, sorties',
    'salida, salidas',
    'uscita, uscite',
    'uitgang, uitgangen',
    'saida, saidas',
  ],
  registration: [
    'registration, check in, checkin, badge pickup, badge pick up, accreditation, badges, reception, ticket desk, welcome desk',
    'registrierung, anmeldung, akkreditierung, empfang, ticketschalter, kasse',
    'enregistrement, inscription, inscriptions, accueil, accreditations',
    'registro, acreditacion, acreditaciones, recepcion',
    'registrazione, accrediti, accredito, accettazione, reception visitatori',
    'registratie, aanmelding, ontvangst, balie',
    'registo, inscricoes, credenciamento, credenciacao, recepcao, rececao',
  ],
  food: [
    'food, catering, restaurant, cafe, cafeteria, coffee, bar, bistro, food court, snack bar, f b, canteen, food and beverage',
    'gastronomie, kantine, imbiss, kaffee, verpflegung, speisen',
    'restauration, cantine, buvette, cafe bar',
    'restaurante, cafe bar, comida, comedor',
    'ristorante, caffe, ristoro, mensa, ristorazione',
    'eten, horeca, koffie, kantine, restaurants',
    'lanchonete, refeicoes, alimentacao, cafetaria',
  ],
  restroom: [
    'wc, toilet, toilets, restroom, restrooms, rest room, bathroom, bathrooms, lavatory, washroom, men wc, women wc, ladies, gents, wc men, wc women, mens room, womens room',
    'toilette, toiletten, herren wc, damen wc, sanitar, behinderten wc, wc h, wc d',
    'toilettes, sanitaires',
    'aseo, aseos, bano, banos, servicios, sanitarios',
    'bagno, bagni, servizi igienici, toilette',
    'toiletten, sanitair, wcs',
    'casa de banho, casas de banho, banheiro, banheiros, sanitario, instalacoes sanitarias',
  ],
  firstAid: [
    'first aid, medical, medic, paramedic, first aid room, ambulance, nurse',
    'erste hilfe, sanitatsraum, sanitater, sanitatsdienst, ersthelfer',
    'premiers secours, infirmerie, poste de secours, secourisme',
    'primeros auxilios, enfermeria, botiquin',
    'primo soccorso, infermeria, pronto soccorso',
    'ehbo, eerste hulp',
    'primeiros socorros, enfermaria, posto medico',
  ],
  stage: [
    'stage, main stage, podium, auditorium, keynote, keynote stage, theatre, theater',
    'buhne, hauptbuhne, vortragsbuhne, forum buhne',
    'scene, grande scene, estrade',
    'escenario, escenario principal, auditorio',
    'palco, palcoscenico, palco principale, auditorium principale',
    'hoofdpodium, toneel, hoofdtoneel',
    'palco principal',
  ],
  lounge: [
    'lounge, vip, vip lounge, networking lounge, networking area, relax area, meeting lounge',
    'ruhezone, ruhebereich, aufenthaltsraum, treffpunkt',
    'salon vip, espace detente, espace networking',
    'sala vip, zona de descanso, zona networking',
    'area relax, sala lounge, area vip',
    'rustruimte, netwerkruimte',
    'zona de convivio, espaco lounge, area de descanso',
  ],
  charging: [
    'charging, charging station, phone charging, charging point, power bar',
    'ladestation, handyladestation, ladesaule, aufladestation',
    'borne de recharge, recharge, station de recharge',
    'estacion de carga, punto de carga, carga de moviles',
    'stazione di ricarica, punto di ricarica, ricarica',
    'oplaadpunt, laadstation, oplaadstation',
    'posto de carregamento, carregamento, estacao de carregamento',
  ],
  cloakroom: [
    'cloakroom, coat check, coats, coatroom, checkroom, luggage, baggage, cloak room',
    'garderobe, gepack, gepackaufbewahrung, garderoben',
    'vestiaire, vestiaires, consigne, bagages',
    'guardarropa, guardarropia, consigna, equipaje',
    'guardaroba, deposito bagagli',
    'bagage, bagagedepot',
    'bengaleiro, guarda volumes, bagageiro, vestiario',
  ],
  lift: [
    'lift, lifts, elevator, elevators, elev, goods lift, freight elevator',
    'aufzug, aufzuge, fahrstuhl, lastenaufzug, personenaufzug',
    'ascenseur, ascenseurs, monte charge',
    'ascensor, ascensores, montacargas',
    'ascensore, ascensori, montacarichi',
    'liften, goederenlift',
    'elevador, elevadores',
  ],
  stairs: [
    'stairs, stair, stairway, staircase, stairwell, steps, escalator, escalators',
    'treppe, treppen, treppenhaus, rolltreppe, rolltreppen',
    'escalier, escaliers, escalier mecanique, escaliers mecaniques',
    'escalera, escaleras, escalera mecanica, escaleras mecanicas',
    'scala, scale mobili, scala mobile, scale antincendio',
    'trap, trappen, trappenhuis, roltrap',
    'escada, escadas, escada rolante, escadas rolantes',
  ],
  information: [
    'information, info, info point, information desk, help desk, infopoint, info desk, information point',
    'auskunft, infostand, infothek, infoschalter, informationen',
    'informations, point info, renseignements, point information',
    'informacion, punto de informacion, punto info',
    'informazioni, punto informazioni, punto info',
    'inlichtingen, informatie, informatiepunt, infobalie',
    'informacoes, informacao, ponto de informacao, balcao de informacoes',
  ],
  loadingDock: [
    'loading dock, loading bay, loading, delivery, deliveries, dock, freight door, loading door, goods entrance, loading docks, roller door',
    'anlieferung, ladetor, laderampe, ladezone, warenannahme, lieferanteneingang, rolltor, andienung, tor',
    'quai de chargement, livraison, livraisons, quai de livraison, zone de chargement',
    'muelle de carga, zona de carga, carga y descarga, muelles de carga',
    'carico e scarico, banchina di carico, carico scarico, area di carico',
    'laadperron, laaddock, leveringen, laad en losplaats, expeditie',
    'cais de carga, carga e descarga, cargas e descargas, zona de cargas',
  ],
  pillar: [
    'column, columns, pillar, pillars, col, cols, a cols, s cols, structural columns, support columns',
    'stutze, stutzen, saule, saulen, pfeiler, stuetze, stuetzen, saeule, saeulen',
    'pilier, piliers, poteau, poteaux, colonne, colonnes',
    'columna, columnas, pilar, pilares',
    'colonna, pilastro, pilastri',
    'kolom, kolommen, pilaren, pijler, pijlers',
    'coluna, colunas',
  ],
  wall: [
    'wall, walls, interior walls, partition, partitions',
    'wand, wande, mauer, mauern, innenwand, innenwande, waende',
    'mur, murs, cloison, cloisons, parois',
    'pared, paredes, muro, muros, tabique, tabiques',
    'muri, parete, pareti',
    'muur, muren, wanden',
    'parede, divisoria',
  ],
  booth: [
    'booth, booths, stand, stands, exhibitor booths, exhibit space, exhibit spaces',
    'messestand, messestande, stande, standflache, standflachen, messestaende, staende',
    'emplacement, emplacements, stand exposant',
    'caseta, casetas, stand expositor',
    'posteggio, posteggi, stand espositore, padiglione stand',
    'standplaats, standplaatsen, standruimte',
    'estande, estandes, stand expositores',
  ],
  outline: [
    'outline, hall outline, boundary, perimeter, hall, building outline, exterior walls, external walls, exhibition hall, floor outline',
    'umriss, hallenumriss, aussenwand, aussenwande, halle, umriss halle, aussenwaende, hallenkontur, kontur',
    'contour, perimetre, murs exterieurs, hall d exposition, enceinte',
    'contorno, perimetro, muros exteriores, pabellon',
    'perimetro esterno, muri esterni, padiglione, sagoma',
    'omtrek, buitenmuur, buitenmuren, contouren',
    'paredes exteriores, pavilhao, contorno exterior',
  ],
}

const PHRASES: ReadonlyMap<string, RecognizedObjectKind> = new Map(
  (Object.entries(WORDS) as [RecognizedObjectKind, readonly string[]][]).flatMap(([kind, lists]) =>
    lists.flatMap((list) => list.split(', ').map((phrase): [string, RecognizedObjectKind] => [phrase, kind])),
  ),
)
const MAX_PHRASE_WORDS = 4

/** Kinds of objects that only the name of a layer or block can identify. A label such as "Hall 3" or "Stand" names no shape. */
const LAYER_KINDS: ReadonlySet<RecognizedObjectKind> = new Set(['pillar', 'wall', 'booth', 'outline'])
/** Maximum number of words in a label. A longer text is a sentence, such as a note in the title block. */
const MAX_LABEL_WORDS = 8

const toWords = (text: string): string[] =>
  text
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/ß/g, 'ss')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '')

function findPhrase(words: readonly string[], accepts: (kind: RecognizedObjectKind) => boolean): RecognizedObjectKind | null {
  for (let length = Math.min(MAX_PHRASE_WORDS, words.length); length > 0; length--) {
    for (let from = 0; from + length <= words.length; from++) {
      const kind = PHRASES.get(words.slice(from, from + length).join(' '))
      if (kind && accepts(kind)) return kind
    }
  }
  return null
}

/** Finds the kind of object that a label on the plan names; the longest phrase decides. */
export function findObjectKindByLabel(label: string): RecognizedObjectKind | null {
  // Words that are hyphenated at the end of a line are one word.
  const words = toWords(label.replace(/-\s*\n\s*/g, ''))
  // The Italian label "Scala 1:200" is a scale, not stairs.
  return words.length > MAX_LABEL_WORDS || /\b1\s*:\s*\d/.test(label) ? null : findPhrase(words, (kind) => !LAYER_KINDS.has(kind))
}

/** Finds the kind of object that the name of a layer, group, class or block stands for. */
export const findObjectKindByLayer = (name: string): RecognizedObjectKind | null => findPhrase(toWords(name), () => true)

/** Matches booth numbers such as 101, A12, H3-214 or 12b. */
const BOOTH_NUMBER = /^(?:[a-z]{1,3}\d{0,2}[-. /]?)?\d{1,4}(?:[-./]\d{1,4})?[a-z]?$/i

/** The booth number in a label, which may have further lines such as the company; null if there is none. */
export const findBoothNumberInLabel = (label: string): string | null =>
  label
    .split('\n')
    .map((line) => line.trim().replace(/^(?:stand|booth|nr\.?|no\.?|#)\s*/i, ''))
    .find((line) => line.length <= 12 && BOOTH_NUMBER.test(line)) ?? null
