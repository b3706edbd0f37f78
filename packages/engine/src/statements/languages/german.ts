import type { Language } from '../language.ts';

export const german: Language = {
  signals: {
    rule: `niemals|nie|immer|keinesfalls|unbedingt|muss|müssen|müsst|darfst|künftig|achte darauf|sicherstellen|tabu
      |verboten|pflicht|verpflichtend|zwingend|ausnahmslos|vermeide*|bitte kein*|darf nicht|darf nur|auf keinen fall
      |unter keinen umständen|ab sofort|ab jetzt|von jetzt an|in zukunft|stell* sicher|finger weg|nicht erlaubt
      |frag* mich|jedes mal|vor jedem|bitte nicht|bitte nur`,
    correction: `^nein|^nee|^falsch|^moment|^halt|^stopp|missverst*|rückgängig|verwechsel*|sondern|irrtum|korrektur|andersherum
      |ist falsch|stimmt nicht|nicht richtig|ich meinte|ich sagte|ich wollte|mein fehler|du hast .. vergessen`,
    preference: `lieber|bevorzug*|ich mag|idealerweise|wünsch*|vorzugsweise|normalerweise|am liebsten|ich möchte|hätte gern*
      |wenn möglich|im zweifel|wäre besser`,
    decision: `lassen .. fallen|setzen auf|setzen künftig auf|entschied*|entscheid*|entschloss*|beschlossen|statt|anstatt|anstelle|stattdessen|gewählt|plan :|verworfen
      |verwerfen|verzichte*|beibehalten|absichtlich|bewusst|empfehl*|ersetze|ersetzen|zugunsten|geeinigt|vereinbart
      |fazit|entfällt|wir nehmen|ich nehme|wir bleiben|ich bleibe|wir verwenden|ich verwende|nicht in frage|wechsel*`,
    cause: `weil|ursache|grund|liegt daran|lag an|deshalb|deswegen|daher|darum|dadurch|wegen|aufgrund|schuld|verursacht
      |auslöser|ausgelöst|erklärt|rührt|folglich|somit|sodass|so dass|da der|da die|da das|da es|fehlt|das problem ist
      |liegt an|führt zu|führt dazu|führte zu|stellt* sich heraus|kommt von`,
    failed: `nicht geholfen|nicht gelöst|nicht behoben|keine besserung|auch nicht|immer noch nicht|sackgasse|zurückgenommen|zurückgerollt|zurückgesetzt|aufgegeben|gescheitert|scheitert|scheiterte
      |erfolglos|vergeblich|hat nichts|schlimmer|schlechter|ausprobiert|probiert|abgelehnt|versuch*|verworfen
      |funktioniert* .. nicht|nicht funktioniert|geht nicht|ging nicht|klappt* nicht|nicht geklappt|hilft nicht
      |half nicht|bringt nichts|brachte nichts|lässt sich nicht|ließ sich nicht|konnte nicht|ohne erfolg`,
    finding: `beachte|notiz|gemessen|messung|durchschnitt*|festgestellt|herausgefunden|gelernt|bestätigt|bedeutet
      |standardwert|standardmäßig|voreinstellung|beträgt|achtung|vorsicht|übrigens|interessant|überrasch*|tatsächlich
      |während|unterschied|schneller|langsamer|prozent|maximal|höchstens|, nicht|liegt bei|befindet sich|gehört zu
      |hängt von|im schnitt|es gibt kein*|standard ist|kaputt|unmöglich|abgestürzt|stürzt ab|bricht ab|weiterhin
      |immer noch`,
    fact: `übrigens|kundennummer|bestellnummer|auftragsnummer|kontonummer|frist|abgabetermin|stichtag|zuständig
      |verantwortlich|ansprechpartner|zur info|der kunde|die kundin|mein name|im urlaub|die adresse|wir haben
      |wir nutzen`,
    open: `steht noch aus|stehen noch aus|muss ich noch|müssen wir noch|kümmere ich mich|noch zu|müssen noch|später|vorerst|vorläufig|erstmal|provisor*|platzhalter|hartkodiert|übrig|ausstehend
      |sobald|zurückkommen|nachholen|verschoben|verschieben|zurückgestellt|ungetestet|ungeprüft|unklar|unvollständig
      |unfertig|irgendwann|morgen|auskommentiert|übersprungen|behelf*|notlösung|noch nicht|muss noch|fehlt noch
      |noch offen|offene frage*|fürs erste|nächster schritt|warte* auf|nicht getestet|nicht fertig|nicht vergessen`,
  },
  hints: `nur|soll|sollte|sollen|nicht|kein*|bitte|ohne|jede*|außer|bleibt|bleiben|eigentlich|falsch*|richtig*|besser
    |problem*|fehler*|veraltet*|konflikt*|blockiert|aber|leider|fehlgeschlagen|scheint|läuft|noch|offen`,
  verbs: `ist|sind|war|waren|hat|haben|hatte|läuft|liegt|braucht|benötigt|nimmt|kommt|enthält|gibt|liefert|liest|schreibt
    |erwartet|verwendet|nutzt|kostet|gehört|bleibt|gilt|steht|wird|werden|wurde`,
  intents: `ich werde jetzt|lass mich|sehen wir|schauen wir|^als nächstes`,
  looks: `schau*|prüf*|lese*|such*|seh*|test*|wart*`,
  progress: `einen moment|^jetzt|^nun|^zuerst|^zunächst|^dann|^fertig|^alles|^super|^prima|^gut|^perfekt|erfolgreich
    |^zusammenfassung|ich schaue|ich prüfe|ich lese|ich starte|ich suche|^hier ist`,
  smallTalk: `ja|danke|bitte|gut|super|prima|okay|weiter|passt|genau|richtig|hallo|verstanden|perfekt|toll|klasse`,
  abbreviations: 'z.b|d.h|bzw|usw|u.a|ca|evtl|ggf|vgl|bspw|inkl|nr|max|min',
};
