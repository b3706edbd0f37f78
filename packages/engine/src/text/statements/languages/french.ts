import type { Language } from '../language.ts';

export const french: Language = {
  signals: {
    rule: [
      `jamais|toujours|il faut|il ne faut pas|tu dois|vous devez|doit|doivent|ne dois pas|ne devez pas|interdit*
      |obligatoire*|désormais|dorénavant|à partir de maintenant|assure-toi|assurez-vous|veille à|veillez à
      |fais attention|faites attention|en aucun cas|sous aucun prétexte|sans exception|ne touche*|ne modifie*
      |ne change*|ne supprime*|n'utilise*|ne fais|ne faites|évite*|à chaque fois|avant chaque|après chaque|demande-moi
      |demandez-moi|sans demander|sans me|pas le droit|n'oublie*|souviens-toi|merci de ne|prière de`,
      'seulement|uniquement|ne .. que|devrait|sans|chaque|avant de|sauf|au moins|au plus|surtout|garde*',
    ],
    correction: [
      `^non|^faux|^attends|^attendez|^stop|c'est faux|ce n'est pas|pas correct|incorrect*|pas ce que|je voulais dire
      |je parlais de|mal compris|je n'ai pas dit|j'ai dit|j'avais dit|je t'ai demandé|pourquoi as-tu
      |pourquoi avez-vous|annule|remets|remettez|tu as oublié|vous avez oublié|tu confonds|vous confondez
      |tu t'es trompé|vous vous trompez|je me suis trompé|erreur de ma part|mon erreur|l'inverse|mauvais fichier
      |mauvaise branche|le mauvais|la mauvaise|et non|mais pas`,
      'en fait|plutôt|pas|au lieu|faux|fausse|erreur|mais',
    ],
    preference: [
      `préfér*|je voudrais|j'aimerais|nous aimerions|on voudrait|j'aime|je n'aime pas|je déteste|plutôt que|idéalement
      |si possible|dans la mesure du possible|dans le doute|je veux|nous voulons|on veut|ce serait bien|serait mieux
      |il vaut mieux|je trouve|par goût|d'habitude|en général on|je tiens à`,
      'mieux|plutôt|plus court*|plus simple|svp|merci de',
    ],
    decision: [
      `choisi|choisis|choisissons|choix|décid*|décision|j'opte|optons|opté pour|on part sur|je pars sur|partons sur
      |on garde|je garde|gardons|conserv*|plutôt que|au lieu de|à la place|en faveur de|au profit de|le plan est
      |plan :|l'approche|on reste sur|je reste sur|restons sur|on utilise|je vais utiliser|on va utiliser|utilisons
      |on prend|nous prenons|le plus simple|la meilleure option|meilleure solution|j'ai préféré|j'ai gardé|j'ai laissé
      |volontairement|exprès|délibér*|à dessein|recommand*|abandonn*|écarté|remplac* par|remplacer|remplacé|passer à
      |passons à|migr* vers|convenu|d'accord pour|conclusion|ne vaut pas|tout compte fait|finalement|utiliserons
      |utilisera|l'emporte|on passe à|retenu|retenons|on supprime`,
      'approche|option|solution|plan|plus simple|plus sûr|plus propre|stratégie',
    ],
    cause: [
      `parce que|parce qu'|car le|car la|car il|car elle|car les|puisque|la cause|cause :|à cause|causé par|causée par
      |raison|vient de|vient d'|viennent de|provient|proviennent|due à|due au|dus à|dû|c'est pourquoi|c'est pour ça
      |c'est pour cela|explique|il s'avère|s'avère que|en réalité le|coupable|responsable|le problème est
      |le problème était|problème :|le bug est|l'erreur est|l'erreur vient|résulte|résultat de|entraîne|provoque*
      |déclench*|donc|ainsi|par conséquent|grâce à|trouvé :|j'ai trouvé|se produit quand|se produit lorsque
      |arrive quand|n'est jamais|ne sont jamais|comme le|étant donné|faute de|il manque|survient|surviennent
      |c'est .. qui|lorsque deux|quand deux|à l'origine|fautif`,
      'car|problème|erreur|bug|conflit|manque|périmé*|obsolète|puis|quand|lorsque|bloqu*',
    ],
    failed: [
      `ne marche pas|ne fonctionne pas|pas fonctionné|pas marché|ça n'a|n'a rien|rien donné|sans succès|en vain|échou*
      |échec|impasse|essayé|tenté|tentative*|annulé|revenu en arrière|retour arrière|renonc*|j'abandonne|laissé tomber
      |toujours le même|toujours pas|encore le même|même erreur|aucun effet|aucune différence|n'aide pas|n'a pas aidé
      |n'a pas résolu|ne résout pas|pire|cassé*|plante|impossible|ne peut pas|ne peuvent pas|n'a pas pu|je n'ai pas pu
      |n'arrive pas|trop lent*|pas pris en charge|ne prend pas en charge|inutile|refus*|rejet*|bloqué|nulle part
      |rien changé|ne change rien|remis comme avant|ne donne rien|peine perdue|ne tient pas`,
      'mais|malheureusement|cependant|erreur|toutefois|pas',
    ],
    finding: [
      `à noter|notez que|note :|remarque :|il faut noter|important :|attention :|mesuré|moyenne|constaté|découvert
      |appris|confirmé|montre que|signifie|ce qui veut dire|la valeur|par défaut|se trouve|se trouvent|situé|stocké*
      |défini dans|définis dans|appartient|dépend de|dépend du|intéressant|surpren*|en fait|en réalité|selon
      |contrairement|alors que|tandis que|la différence|plus rapide|plus lent*|deux fois|pour cent|limite réelle
      |limite est|limité à|limitée à|au maximum|n'accepte que|uniquement si|il n'y a pas|il n'y a aucun|n'existe pas
      |s'appelle|est lu|et non|pas le|dure|prend|coûte|la réponse est`,
      'apparemment|probablement|sans doute|déjà|seulement|exactement|semble|actuellement',
    ],
    fact: [
      `au fait|pour info|pour information|à titre d'information|sache que|sachez que|notre client|le client|la cliente
      |numéro de commande|numéro de client|numéro de compte|date limite|échéance|notre serveur|notre équipe|notre base
      |nous avons|nous utilisons|on utilise|on a des|je travaille|j'habite|mon ordinateur|mon adresse|l'adresse
      |adresse :|en congé|en vacances|je m'appelle|chargé de`,
      'mon|ma|mes|notre|nos|leur|numéro|version|tourne',
    ],
    open: [
      `il reste|reste à|restent à|pas encore|à faire|plus tard|pour l'instant|pour le moment|provisoire*|temporaire*
      |en attendant|en attente|j'attends|on attend|à revoir|revenir sur|reviendrai|y revenir|prochaine étape
      |prochaines étapes|à suivre|reporté|reporter|remis à|repoussé|différé|non testé*|pas testé*|non vérifié*
      |pas clair|pas sûr|je ne sais pas|à déterminer|incomplet|inachevé|en dur|en suspens|question ouverte|un jour
      |demain|semaine prochaine|dès que|une fois que|commenté|désactivé|contournement|n'oublie pas|il faudrait|faudra`,
      'encore|reste|ensuite|jusqu|devrait|après',
    ],
  },
  verbs: `est|sont|était|étaient|ont|avait|tourne|utilise|contient|renvoie|retourne|lit|écrit|attend|accepte|exige|prend
    |dure|coûte|appartient|reste|fait|vient|sert|gère|envoie|reçoit|trouve`,
  progress: `je regarde|je vais regarder|je vérifie|je vais vérifier|je lis|je vais lire|je lance|je vais lancer
    |je vais maintenant|je commence|je cherche|j'ouvre|je mets à jour|j'ajoute|je crée|regardons|voyons|vérifions
    |commençons|laisse-moi|laissez-moi|^maintenant|^ensuite|^d'abord|^puis|^voilà|^voici|^parfait|^très bien|^super
    |^bien|^terminé|^tout est|tout est vert|les tests passent|avec succès|de rien|puis-je|^résumé|c'est fait`,
  smallTalk: `oui|merci|d'accord|ok|super|parfait|continue|continuez|vas-y|allez-y|bonjour|salut|c'est bon|exact|exactement
    |compris|de rien|génial|bien`,
  abbreviations: 'p.ex|ex|c.-à-d|cad|etc|env|cf|m|mme|mlle|n°|art|av|bd|tél|max|min',
};
