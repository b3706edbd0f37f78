import type { Language } from '../language.ts';

export const english: Language = {
  signals: {
    rule: [
      `never|always|must|must not|have to|has to|do not ..|not allowed|not supposed to|under no circumstances|from now on|going forward
      |make sure|be sure to|ensure that|at all times|every time you|off limits|hands off|stay away from|steer clear|keep away from
      |leave .. alone|leave .. untouched|forbidden|mandatory|prohibited|no exceptions|without exception|is required|are required
      |ask me before|ask me first|ask first|check with me|without asking|unless i|unless we|unless you|no one may|nobody may
      |rule of thumb|the rule is|rule :|keep in mind|remember to|remember that|stop using|stop adding|stop doing|avoid|refrain from
      |be careful|at most|at least|no more than|by default|whenever you|may only|should only|can only be|should never|should always
      |needs to stay|has to stay|needs to match|only ever|anything but|nothing but`,
      'only|should|should not|shall|need to|needs to|without|before you|each time|whenever|keep|stick to|stay|require*|every|please|until|except|not to',
    ],
    correction: [
      `^no ,|^nope|^nah|^wrong|^not quite|that is wrong|that is not right|that is incorrect|that is not correct|is incorrect|not what i
      |you misunderstood|misunderst*|misread|i meant|what i mean|what i meant|i did not ask|i did not say|i never said|i asked for
      |i asked you|i said|i told you|you were supposed to|should have been|was supposed to|were supposed to|why did you|undo that
      |revert that|put .. back|not .. but rather|correction :|to correct|i was wrong|i was mistaken|my mistake|scratch that
      |let me correct|you are wrong|you got .. wrong|got it wrong|mixed up|mixing up|confus*|the other way|other way round
      |the other way around|you forgot|you missed|you left out|it should be|should be .. not|wrong one|wrong file|wrong way
      |not like that|that is the wrong|is the wrong|^hold on|^wait|^stop|mistaken|is not true|contrary to what|i take that back|sorry ,
      |instead of what|too much|too many|you changed|you removed|you broke|you deleted`,
      `^actually|, actually|actually|, not|not .. but|^but|wrong|instead|rather|mistake|^no|the right one|correct one|the correct|is supposed to`,
    ],
    preference: [
      `prefer*|i would rather|we would rather|would rather|i would like|we would like|i like|i love|i hate|i dislike|do not like|not a fan
      |favour*|favor*|ideally|if possible|wherever possible|where possible|when possible|when in doubt|default to|lean towards
      |leaning towards|i want|we want|i do not want|we do not want|would be nice|would be better|nicer if|happier with|happy with
      |i care about|matters to me|to my taste|my taste|i find .. easier|i find .. harder|rather have|sooner have|i usually
      |we usually|i tend to|we tend to|i am used to|we are used to|please use|please keep|please do|if you can ,|if it is up to me
      |i am fond of|feel free to|keep it short|keep it simple|for my part|no strong opinion|my preference`,
      'better|nicer|rather|i think|i would|easier|like|want|wish|please|style|should',
    ],
    decision: [
      `decid*|decision*|going with|go with|goes with|went with|gone with|opt for|opts for|opted for|opting for|opted to|chose|choose
      |choosing|chosen|picked|settled on|settle on|settling on|settled for|sticking with|sticking to|stick with|stick to|stuck with
      |rather than|instead of|in favour of|in favor of|in place of|the plan is|our plan is|my plan is|plan :|the plan :|plan now
      |i will use|we will use|i will keep|we will keep|will be using|let's use|let us use|let's keep|let us keep|let's go|let us go|let's stay|let's make|let's do
      |let's drop|let's stick|switch to|switched to|switching to|switching from|switched from|moved to|moving to|migrat* to|keep using|kept using
      |makes more sense|make more sense|best option|better option|cleanest|safest|simplest|trade-off|tradeoff|trade off
      |agreed on|agreed to|we agreed|concluded|my conclusion|conclusion :|therefore i|so i will|so we will|so i am|so we are|so i kept|so i used|so i went|so i made
      |ditch*|abandon*|scrap*|ruled out|rule out|ruling out|not going to|recommend*|recommendation|by design|on purpose|deliberate*|intentional*
      |purposely|i kept|we kept|i left|we left|i made it|i am keeping|we are keeping|keeping .. as|i am leaving|i am using|we are using
      |replaced .. with|replace .. with|replacing .. with|swapped .. for|swap .. for|drop .. for|dropped .. for|dropping|over .. because|over .. since
      |chosen approach|design choice|the approach is|approach :|the idea is|my choice|final choice|verdict|we land on|landed on|convinced
      |is the way to go|way to go|good enough for|worth it|not worth|worth the|better to|simpler to|easier to|cheaper to|safer to|will do instead
      |no longer use|no longer using|get rid of|getting rid of|from here on|committed to|commit to using|so that we can|so we can|in the end|after all|won out|wins over|beats|preferred`,
      `instead|rather|approach|option|plan|prefer|over|we will|i will|will not|so|keep|keeping|replac*|split .. into|merge .. into|use|using|chose|agreed|strategy|design|solution|simpler|cleaner|safer|scope|should`,
    ],
    cause: [
      `because|root cause|the cause|real cause|caused by|causes|causing|cause of|turns out|turned out|explains|explain why|that is why|which is why
      |this is why|is why|was why|reason is|reason was|the reason|for this reason|due to|owing to|culprit|to blame|stems from|stemmed from
      |comes from|came from|coming from|comes down to|boils down to|traced|trace it to|responsible for|the issue is|the issue was|issue :|the problem is
      |the problem was|problem :|the bug is|the bug was|bug :|as a result|leads to|led to|results in|resulted in|resulting in|hence|therefore|thus
      |consequently|underlying|found it|found the bug|found the problem|found the issue|found the cause|figured out|figured it out|real problem|real issue
      |actual problem|actual issue|actual bug|triggered by|happens when|happens if|happened when|only happens|fails when|breaks when|race condition|nailed it
      |mystery solved|what happens is|what happened|the trouble is|the catch is|the catch :|the trick is|was never|is never|were never|never got|never gets
      |overwrit*|shadow* the|collid*|clash*|deadlock*|leaks|leaking|mismatch*|out of sync|got it :|so that is|no wonder|makes sense now|which breaks|which broke|which makes
      |which means|which meant|the fault|at fault|at the bottom of|down to|tracked it down|tracked down|pinpointed|narrowed it down|behind the|thanks to|on account of|given that|seeing that|as soon as`,
      `since|so|cause*|reason|trigger*|conflict*|missing|stale|wrong|problem|issue|bug|why|when|if|race|leak*|swallow*|silently|unless|without|so that|as a|too early|too late|not .. yet|before .. is|after .. is|expects|assum*|hardcod*|only .. when|means|prevent*|block*|forc*`,
    ],
    failed: [
      `not work|not working|no luck|dead end|dead-end|revert*|rolled back|roll back|rolling back|back it out|backed out|backing out|undid|undone|gave up|give up|giving up|given up
      |still fail*|still broken|still not|still crash*|still hang*|still happen*|still the same|same error|same result|keeps failing|keep failing|broke|breaks|broken|tried|to no avail|not help|no help
      |no effect|had no effect|worse|in vain|hit a wall|no good|can not be|could not|impossible|crashes|crashed|timed out|times out|hangs|hung|rejected|refused|refuses
      |blows up|blew up|chokes|choked|not an option|does not support|not supported|unsupported|no way to|without success|unsuccessful*|nothing changed|no difference
      |not viable|not feasible|will not compile|no longer compiles|not compile|does not build|not build|fell over|falls over|fell apart|falls apart|backfired|not enough|was not enough|did not fix
      |not fix|not solve|not resolve|rules out|attempt failed|attempts failed|failed attempt|stuck|blocked by|no go|no-go|too slow|too fragile|flak*|regress*|waste of time|wasted|bail* out|scrapped
      |threw .. away|throw .. away|not reproduce|not an improvement|do not bother|not worth retrying|no success|fruitless|gets us nowhere|got nowhere|went nowhere|leads nowhere|useless|pointless`,
      `fails|failed|failing|failure|error*|tried|try|trying|attempt*|can not|unable to|crash*|timeout|deadlock*|but|however|unfortunately|not|no|exception|denied|404|500|conflict*|lost|unstable|hang*|panic*|problem*|still`,
    ],
    finding: [
      `note that|note :|^note|note to self|notably|important :|important to note|is important|key insight|insight :|key point|interesting*|surprising*|surprise|measured|measur*|benchmark*|on average|found that|i found|we found|discovered|learned
      |confirmed that|confirms|verified that|shows that|showed that|indicates|means that|meaning that|the value|value is|is set to|was set to|is equal to|equals|defaults to|the default is|default for|lives in|live in|lives under
      |located in|located at|is defined in|are defined in|is stored in|are stored in|points to|belongs to|belong to|depends on|gotcha|caveat|warning :|beware|heads up|heads-up|lesson|for reference|for the record|contrary to|undocumented|the docs say
      |docs are wrong|according to|the answer is|answer :|result :|results :|is called|is named|there is no|there are no|does not exist|do not exist|not the one|not the same|not to be confused|is actually|are actually|in fact|in reality
      |as it happens|worth knowing|worth noting|worth remembering|good to know|for future reference|tl;dr|the key|unlike|whereas|as opposed to|the difference|differs from|differ|is read-only|read only|case sensitive|went from|down from|up from|dropped from
      |dropped to|rose to|grew from|reduced|speeds up|slows down|faster|slower|twice as|times as|half the|percent|per cent|p95|p99|median|average|baseline|comes out at|clocks in|weighs|peaks at|maxes out|up to|caps at|capped at|limited to|limit is|limit of
      |is only|are only|is the only|only one|exactly|takes precedence|is deprecated|was removed in|was renamed|has been renamed|since version|as of version|findings|observation|observed|evidence|proves|proof|correlat*|significant*|sample|suggests|suggesting`,
      'actually|actual|apparently|probably|likely|already|currently|seems|looks like|appears|shows|found|see|only|key|real',
    ],
    fact: [
      `by the way|btw|fyi|for context|for your information|for background|just so you know|in case you|so you know|to give you|my name|our customer|the customer|account number|order number|phone number|the deadline|deadline is|due on|due by|belongs to|is owned by|is managed by|is maintained by
      |we run|we use|we have|we are on|i work|i am on|i am using|i have|i live|our team|our ci|our server|our database|my machine|my laptop|my setup|is hosted|hosted on|is located|the password|the key is|the id is|the url is|the address|the budget|the client|our client|the user is|ticket|is called|named|stands for|is short for|refers to|responsible for|is in charge|contact`,
      'my|our|their|his|her|called|number|version',
    ],
    open: [
      `still need*|still have to|still has to|still to do|still missing|still open|still outstanding|still pending|still todo|todo|to-do|fixme|tbd|come back to|coming back to|get back to|circle back|revisit*|for now|for the moment|for the time being|stub*|not yet|yet to|next step*|remaining|left to do|what is left|is left
      |left for later|for later|later on|follow-up|follow up|followup|pending|postpone*|defer*|parked|parking|punt*|shelve*|blocked on|blocked until|waiting for|waiting on|outstanding|unresolved|open question*|open issue*|open point*|temporar*|placeholder|hardcoded|not implemented|unimplemented|have not .. yet|has not .. yet|remains to|unfinished|half-done|half done
      |wip|work in progress|to be done|to be decided|needs to be|need to be|will need to|will have to|out of scope|separate pr|separate change|separate ticket|another day|tomorrow|next week|next time|do not forget|remind me|reminder|untested|not tested|unverified|not verified|unclear|not sure|unsure|do not know|not certain|investigate|needs investigation|needs more|needs a|someone should|should eventually|eventually|once .. is|once .. are|until .. is|as soon as .. is|after the merge|in the future|at some point|when there is time|worth checking
      |worth revisiting|leftover|left over|loose end*|unaddressed|not covered|gap|on my list|backlog|not handled|does not handle yet|quick fix|workaround|work around|hack|band-aid|bandaid|commented out|disabled|skipped|mocked|faked|dummy|would still|has yet|have yet|needs follow|awaiting`,
      `later|yet|missing|next|todo|then|remain*|should|need*|until|after|when|will|wait*|skip*|open|pending|question|incomplete|eventually|maybe|check`,
    ],
  },
  verbs: `is|are|was|were|has|have|had|takes|took|returns|returned|uses|used|contains|lives|expects|requires|needs|supports|goes|go|runs|run|stores|reads|writes|sends|receives|accepts|rejects|shares|exists|does|do|did|can|costs|sits|gets|keeps|holds|owns|serves|handles|maps|ships|comes|counts|starts|ends|expires|stays|works|matches|ignores|covers|adds|drops|makes|gives|calls|fires|hits|carries|reports|lacks|wants`,
  progress: `let me|^now let me|^let's check|^let's look|^let's see|^let's run|^let's try|^let's start|^let us|^now i will|^now i|^now ,|^now update|^now add|^now fix|^now run|^now the|^first ,|^first i|^next ,|^next i|^then i|i will now|i will start|i will check|i will look|i will run|i will read|i will take a look|i will also|i will continue|i will begin|i will proceed
    |i am going to check|i am going to look|i am going to run|i am running|i am checking|i am reading|i am looking|i am starting|i am now|i am adding|i am updating|i am waiting|i am rerunning|i am inspecting|i am committing|i am pushing|^running|^checking|^reading|^looking|^searching|^updating|^adding|^committing|^pushing|^starting|^continuing|^moving on|^waiting|^verifying|^here is|^here are|^done|^all tests|^all green|^tests pass|^the tests pass|^build passes|^great|^perfect|^good|^excellent|^ok|^okay|^alright|^sure|all green|tests passed|tests pass|passing|all pass|is clean|is green|are green
    |no errors|no issues|no problems|0 failed|0 errors|everything works|everything passes|looks good|look good|works as expected|as expected|working correctly|is done|are done|is complete|completed|committed|pushed|successfully|summary of|what changed|files changed|let me know|feel free|happy to|would you like|do you want|shall i|should i|i can also|is ready|^added|^updated|^created|^implemented|^fixed|^removed|^renamed|^refactored|^i have added|^i have updated|^i have created|^i added|^i updated|^i created|^i need to|^we need to|^i should|^time to`,
  smallTalk: `ok|okay|thanks|thank you|thx|ty|yes|yep|yeah|yup|sure|great|perfect|cool|nice|awesome|good|go on|go ahead|continue|proceed|please continue|keep going|carry on|sounds good|looks good|lgtm|do it|next|hi|hello|hey|good morning|good job|well done|alright|got it|i see|understood|right|exactly|correct|please|bye|no problem|you are welcome|ready|done|fine|hmm|lol|wow`,
  abbreviations:
    'e.g|i.e|eg|ie|etc|vs|approx|ca|cf|mr|mrs|ms|dr|prof|st|no|fig|eq|sec|ch|p|pp|vol|ed|al|inc|ltd|co|resp|incl|max|min|dept|est|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec|u.s|a.m|p.m',
};
