import type { Language } from '../language.ts';

export const german: Language = {
  signals: {
    rule: [
      `niemals|nie|immer|keinesfalls|auf keinen fall|auf gar keinen fall|unter keinen umständen|unbedingt|muss|müssen
      |müsst|darf nicht|darf nur|darf man|dürfen nicht|darfst|ab sofort|ab jetzt|von jetzt an|künftig|in zukunft
      |achte darauf|achtet darauf|stell sicher|stelle sicher|sicherstellen|finger weg|tabu|verboten|nicht erlaubt
      |pflicht|verpflichtend|zwingend|ausnahmslos|ohne ausnahme|frag mich|frage mich|vorher fragen|ohne rückfrage
      |jedes mal|vor jedem|nach jedem|bei jeder|bei jedem|vermeide*|lass .. in ruhe|bitte nicht|bitte kein*|bitte nur
      |nicht anfassen|denk daran|merk dir|vergiss nicht|mach .. nicht|nimm nur|nutze nur`,
      'nur|soll|sollte|sollen|sollst|nicht|kein*|bitte|ohne|jede*|außer|mindestens|höchstens|bleibt|bleiben',
    ],
    correction: [
      `^nein|^nee|^falsch|^moment|^halt|^stopp|ist falsch|stimmt nicht|stimmt so nicht|nicht richtig|nicht korrekt
      |ich meinte|ich meine|gemeint war|so war das nicht|missverst*|falsch verstanden|nicht was ich
      |ich habe nicht gesagt|ich sagte|ich hatte gesagt|ich wollte|rückgängig|mach .. wieder|verwechsel*
      |du hast .. vergessen|du hast .. gelöscht|warum hast du|sondern|irrtum|mein fehler|korrektur|andersherum
      |anders herum|die falsche|der falsche|das falsche|den falschen|im falschen|doch nicht`,
      'eigentlich|statt|nicht|falsch*|richtig*|doch',
    ],
    preference: [
      `lieber|bevorzug*|am liebsten|ich hätte gern|hätte gerne|wir hätten gern|ich möchte|wir möchten|ich mag
      |gefällt mir|mir gefällt|idealerweise|nach möglichkeit|wenn möglich|wenn es geht|im zweifel|ich will|wir wollen
      |wünsch*|wäre schön|wäre besser|wäre mir|mir wichtig|ich finde|vorzugsweise|bitte verwende|bitte nutze
      |bitte nimm|wir nehmen meist|normalerweise`,
      'besser|gern|gerne|eher|schöner|kürzer|einfacher',
    ],
    decision: [
      `entschied*|entscheid*|entschloss*|beschlossen|wir nehmen|ich nehme|nehmen wir|ich verwende|wir verwenden
      |verwenden wir|statt|anstatt|anstelle|stattdessen|gewählt|ich wähle|wähle ich|fiel auf|wir bleiben bei
      |ich bleibe bei|bleiben wir bei|bleibt es bei|der plan ist|plan :|der ansatz|besser ist es|am einfachsten
      |einfachste lösung|beste lösung|verworfen|verwerfen|verzichte*|ich lasse|wir lassen|lasse ich|lassen wir
      |ich behalte|wir behalten|behalten wir|beibehalten|absichtlich|bewusst|empfehl*|umgestellt auf|wechseln zu
      |wechsel zu|umsteigen auf|ersetzt durch|ersetze|ersetzen|zugunsten|lohnt sich nicht|geeinigt|vereinbart|fazit
      |ergebnis :|wir machen|machen wir|wir speichern|kommt nicht in frage|wird .. verwendet|schalten .. ab|geworden
      |läuft es hinaus|setzen auf|setze auf|fällt weg|entfällt`,
      'ansatz|lösung|variante|plan|eher|einfacher|sauberer|sicherer|künftig|als',
    ],
    cause: [
      `weil|ursache|grund|liegt daran|lag daran|liegt an|lag an|deshalb|deswegen|daher|darum|dadurch|wegen|aufgrund
      |schuld|verursacht|auslöser|ausgelöst|stellt sich heraus|stellte sich heraus|hat sich herausgestellt
      |wie sich zeigt|erklärt|das problem ist|problem war|problem :|der fehler ist|der fehler war|fehler :|kommt von
      |rührt|hängt damit zusammen|hängt zusammen|führt zu|führt dazu|führte zu|führte dazu|folglich|somit|gefunden :
      |tritt auf wenn|tritt nur|passiert wenn|passiert nur|sodass|so dass|da der|da die|da das|da es|wird nie
      |wurde nie|fehlt`,
      'denn|da|problem*|fehler*|falsch*|veraltet*|kollid*|konflikt*|überschr*|blockiert',
    ],
    failed: [
      `funktioniert nicht|funktionierte nicht|nicht funktioniert|geht nicht|ging nicht|klappt nicht|klappte nicht
      |nicht geklappt|klappt so nicht|sackgasse|zurückgenommen|zurückgerollt|rückgängig gemacht|zurückgesetzt
      |aufgegeben|gescheitert|scheitert|scheiterte|erfolglos|ohne erfolg|vergeblich|bringt nichts|brachte nichts
      |nichts gebracht|hilft nicht|half nicht|nicht geholfen|hat nichts|keine wirkung|keinen effekt|kein unterschied
      |keinen unterschied|schlimmer|schlechter|immer noch|weiterhin|kaputt|bricht ab|stürzt ab|abgestürzt|hängt sich
      |lässt sich nicht|ließ sich nicht|konnte nicht|kann nicht|nicht möglich|unmöglich|ausprobiert|probiert
      |zu langsam|nicht unterstützt|unterstützt kein*|keine lösung|verschwendet|lehnt ab|abgelehnt|läuft nicht
      |lief nicht|versuch*|bleibt bestehen|nirgendwohin|verworfen|auch nicht`,
      'aber|leider|fehlgeschlagen|schlägt fehl|fehlschlag|fehler|jedoch|wieder|nicht',
    ],
    finding: [
      `beachte|zu beachten|hinweis :|notiz|wichtig :|wichtig ist|gemessen|messung|im schnitt|durchschnitt*|festgestellt
      |herausgefunden|gelernt|bestätigt|zeigt dass|bedeutet|der wert|wert von|standardwert|standardmäßig
      |voreinstellung|beträgt|liegt bei|liegt unter|liegt in|befindet sich|gehört zu|hängt von|achtung|vorsicht
      |übrigens|interessant|überrasch*|in wirklichkeit|tatsächlich|laut|im gegensatz|während|unterschied|schneller
      |langsamer|doppelt so|prozent|maximal|höchstens|begrenzt auf|grenze|nur wenn|es gibt kein*|gibt es nicht
      |existiert nicht|heißt|wird gelesen|läuft bis|gilt bis|dauert|statt der|nicht der|nicht die|nicht das|, nicht`,
      'offenbar|anscheinend|wahrscheinlich|vermutlich|bereits|schon|nur|genau|wohl|scheint',
    ],
    fact: [
      `übrigens|zur info|zur information|nur damit du|damit du weißt|unser kunde|der kunde|die kundin|kundennummer
      |bestellnummer|auftragsnummer|kontonummer|frist|abgabetermin|stichtag|unser server|unsere datenbank|unser team
      |wir haben|wir nutzen|wir verwenden|ich arbeite|ich wohne|mein rechner|meine adresse|die adresse|adresse :
      |zuständig|verantwortlich|ansprechpartner|im urlaub|mein name|ich heiße`,
      'mein*|unser*|ihr*|sein*|nummer|version|läuft',
    ],
    open: [
      `noch nicht|noch zu|muss noch|müssen noch|fehlt noch|fehlen noch|steht noch aus|stehen noch aus|noch offen
      |offen ist|offene frage*|später|vorerst|vorläufig|fürs erste|erst einmal|erstmal|bis auf weiteres|provisor*
      |platzhalter|fest eingetragen|hartkodiert|hart codiert|nächster schritt|nächste schritte|als nächstes kommt
      |bleibt zu|bleibt noch|übrig|ausstehend|warten auf|warte auf|wartet auf|sobald|zurückkommen|nachholen|verschoben
      |verschieben|zurückgestellt|ungetestet|nicht getestet|ungeprüft|unklar|nicht sicher|weiß nicht|unvollständig
      |unfertig|nicht fertig|todo|irgendwann|bei gelegenheit|nächste woche|morgen|auskommentiert|übersprungen|behelf*
      |notlösung|nicht vergessen|kümmern wir uns|kümmere ich mich|nach dem release|steht an`,
      'noch|bis|dann|sollte|offen|danach|muss',
    ],
  },
  verbs: `ist|sind|war|waren|hat|haben|hatte|läuft|liegt|braucht|benötigt|nimmt|kommt|heißt|enthält|gibt|liefert|liest
    |schreibt|erwartet|verwendet|nutzt|kostet|dauert|gehört|bleibt|gilt|steht|wird|werden|wurde`,
  progress: `einen moment|ich schaue|ich sehe mir|ich prüfe|ich überprüfe|ich lese|ich öffne|ich führe|ich starte|ich suche
    |ich beginne|ich werde jetzt|ich aktualisiere|ich füge|ich erstelle|schauen wir|sehen wir|lass mich
    |lassen sie mich|jetzt führe|jetzt prüfe|jetzt lese|^jetzt|^nun|^als nächstes|^zuerst|^zunächst|^dann|^fertig
    |^alles|^super|^prima|^sehr gut|^gut|^hier ist|^hier sind|^perfekt|alles grün|tests laufen durch|erfolgreich
    |gern geschehen|kann ich .. helfen|^zusammenfassung`,
  smallTalk: `ja|danke|vielen dank|bitte|gut|super|prima|okay|alles klar|weiter|passt|genau|richtig|hallo|guten morgen
    |verstanden|perfekt|toll|klasse|gern geschehen`,
  abbreviations: 'z.b|d.h|bzw|usw|u.a|ca|evtl|ggf|vgl|bspw|inkl|nr|str|s.o|s.u|o.ä|sog|zzgl|max|min',
};
