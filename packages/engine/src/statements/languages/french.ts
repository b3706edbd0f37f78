import type { Language } from '../language.ts';

export const french: Language = {
  signals: {
    rule: `jamais|toujours|il faut|tu dois|doit|doivent|interdit*|obligatoire*|désormais|dorénavant|assure-toi|assurez-vous
      |n'utilise*|ne fais|évite*|demande-moi|demandez-moi|sans me|n'oublie*|souviens-toi|ne touche*|ne modifie*
      |à partir de maintenant|chaque fois|pas le droit|veille* à`,
    correction: `^non|^faux|^attends|^attendez|^stop|incorrect*|annule|remets|remettez|tu t'es trompé|l'inverse|et non
      |je voulais dire|ce n'est pas|c'est faux|mal compris|j'ai dit`,
    preference: `préfér*|j'aimerais|j'aime|idéalement|je veux|on veut|d'habitude|si possible|je voudrais|plutôt que`,
    decision: `choisi|choisis|choisissons|choix|décid*|décision|j'opte|optons|on garde|gardons|conserv*|plan :
      |l'approche|utilisons|volontairement|exprès|délibér*|recommand*|abandonn*|écarté|remplacer|remplacé|passer à
      |convenu|conclusion|finalement|utiliserons|utilisera|l'emporte|retenu|retenons|au lieu de|plutôt que|à la place
      |on prend`,
    cause: `car le|car la|car il|car elle|car les|puisque|la cause|cause :|à cause|raison|vient de|vient d'|provient
      |proviennent|due à|due au|dus à|dû|explique|coupable|responsable|résulte|entraîne|provoque*|déclench*|donc|ainsi
      |grâce à|trouvé :|comme le|faute de|survient|surviennent|c'est .. qui|parce que|le problème`,
    failed: `rien donné|toujours pas|ça n'a|n'a rien|en vain|échou*|échec|impasse|essayé|tenté|tentative*|annulé|renonc*|j'abandonne|pire
      |cassé*|inutile|ne marche pas|ne fonctionne pas|n'a pas marché|n'a pas fonctionné|toujours la même|sans succès`,
    finding: `à noter|note :|mesuré|moyenne|constaté|découvert|appris|confirmé|signifie|situé|stocké*|appartient
      |intéressant|surpren*|en fait|selon|contrairement|limité à|s'appelle|est lu|et non|pas le|par défaut|se trouve
      |dépend de|plus rapide|plus lent|impossible|plante|bloqué|refus*|rejet*|pas possible`,
    fact: "échéance|l'adresse|pour info|au fait|le client|numéro de|nous avons|je m'appelle",
    open: `il reste|reste à|à faire|pour le moment|provisoire*|temporaire*|j'attends|à revoir|reviendrai|à suivre|reporté
      |reporter|remis à|repoussé|différé|pas sûr|incomplet|inachevé|en dur|demain|dès que|commenté|désactivé
      |contournement|faudra|pas encore|plus tard|en attente|prochaine étape|à tester|pas testé`,
  },
  hints: `seulement|uniquement|devrait|sans|chaque|avant de|sauf|garde*|plutôt|pas|au lieu|faux|fausse|erreur|mais|car
    |problème|conflit|manque|obsolète|bloqu*|semble|actuellement|encore|reste`,
  verbs: `est|sont|était|étaient|ont|avait|tourne|utilise|contient|renvoie|retourne|lit|écrit|attend|accepte|exige
    |appartient|reste|fait|vient|sert|gère|envoie|reçoit|trouve`,
  intents: `laisse-moi|laissez-moi|je vais|regardons|voyons|vérifions`,
  looks: `regard*|vérifi*|lire|cherch*|lanc*|voyons|voir|test*`,
  progress: `j'ouvre|j'ajoute|commençons|^maintenant|^ensuite|^d'abord|^puis|^voilà|^voici|^parfait|^super|^bien
    |^terminé|puis-je|^résumé|je regarde|un instant`,
  smallTalk: `oui|merci|d'accord|ok|super|parfait|continue|continuez|vas-y|allez-y|bonjour|salut|exact|exactement|compris
    |génial|bien`,
  abbreviations: 'p.ex|ex|c.-à-d|cad|etc|env|cf|m|mme|mlle|n°|art|av|bd|tél|max|min',
};
