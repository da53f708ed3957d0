"""A few sentences in each of many languages, and words of one meaning that are to meet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Sample(NamedTuple):
    """Sentences, and forms of one word that the language's recipe makes one term of."""

    text: str
    forms: tuple[str, ...] = ()


SAMPLES: Mapping[str, Sample] = {
    "armenian": Sample(
        "Մեր քաղաքը գտնվում է գետի ափին։ Երեկոյան մարդիկ զբոսնում են կամրջի վրա։",
        ("քաղաք", "քաղաքներ", "քաղաքի"),
    ),
    "basque": Sample(
        "Gure herria ibaiaren ondoan dago. Arratsaldean jendea zubitik paseatzen da.",
        ("gizona", "gizonaren", "Gizonarekin"),
    ),
    "bengali": Sample("আমাদের শহর নদীর তীরে অবস্থিত। সন্ধ্যায় মানুষ সেতুর উপর হাঁটে।"),
    "bulgarian": Sample(
        "Нашият град се намира на брега на реката. Вечер хората се разхождат по моста."
    ),
    "catalan": Sample(
        "La nostra ciutat és a la vora del riu i l'home del pont ven flors cada vespre.",
        ("l'home", "homes", "L’home"),
    ),
    "czech": Sample(
        "Naše město leží na břehu řeky. Večer se lidé procházejí po mostě a čtou knihy.",
        ("kniha", "knihy", "knihami", "Knihou"),
    ),
    "danish": Sample(
        "Vores by ligger ved floden, og om aftenen går folk en tur over broen med deres hunde.",
        ("hest", "heste", "hesten", "Hestene"),
    ),
    "dutch": Sample(
        "Onze stad ligt aan de rivier en 's avonds wandelen de mensen over de brug.",
        ("boek", "boeken", "Boeken"),
    ),
    "english": Sample(
        "Our town stands by the river, and in the evening people walk across the bridge.",
        ("library", "libraries", "Libraries"),
    ),
    "esperanto": Sample(
        "Nia urbo staras apud la rivero kaj vespere la homoj promenas sur la ponto.",
        ("libro", "libroj", "librojn", "Libron"),
    ),
    "estonian": Sample(
        "Meie linn asub jõe kaldal ja õhtuti jalutavad inimesed üle silla.",
        ("raamat", "raamatud", "Raamatus"),
    ),
    "finnish": Sample(
        "Kaupunkimme sijaitsee joen rannalla, ja iltaisin ihmiset kävelevät sillan yli.",
        ("talo", "talot", "talossa", "Talosta"),
    ),
    "french": Sample(
        "Notre ville se trouve au bord de la rivière ; le soir, l'homme du pont vend des fleurs.",
        ("l'homme", "hommes", "L’homme"),
    ),
    "galician": Sample(
        "A nosa vila está á beira do río e pola tardiña a xente pasea pola ponte vella."
    ),
    "german": Sample(
        "Unsere Stadt liegt am Fluss, und abends gehen die Leute über die Brücke spazieren.",
        ("Haus", "Häuser", "Häusern", "Hauses"),
    ),
    "greek": Sample(
        "Η πόλη μας βρίσκεται δίπλα στο ποτάμι και το βράδυ οι άνθρωποι περπατούν στη γέφυρα.",
        ("άνθρωπος", "ανθρώπου", "ΑΝΘΡΩΠΟΙ", "ανθρώπων"),
    ),
    "hindi": Sample(
        "हमारा शहर नदी के किनारे बसा है और शाम को लोग पुल पर टहलते हैं।",
        ("किताब", "किताबें", "किताबों"),
    ),
    "hungarian": Sample(
        "A városunk a folyó partján fekszik, és esténként az emberek a hídon sétálnak.",
        ("ház", "házak", "házban", "Háznak"),
    ),
    "indonesian": Sample(
        "Kemarin saya pergi ke kantor karena ingin bertemu teman kuliah, lalu kami makan siang.",
        ("baca", "membaca", "dibaca", "Bacaan"),
    ),
    "irish": Sample(
        "Tá ár mbaile suite cois na habhann agus siúlann na daoine thar an droichead tráthnóna.",
        ("athair", "nAthair", "d'athair", "n-athair"),
    ),
    "italian": Sample(
        "La nostra città si trova sul fiume e la sera l'uomo del ponte vende dei fiori.",
        ("dell'uomo", "uomo", "L’uomo"),
    ),
    "latvian": Sample("Mūsu pilsēta atrodas upes krastā, un vakaros cilvēki pastaigājas pa tiltu."),
    "lithuanian": Sample(
        "Mūsų miestas stovi prie upės, o vakarais žmonės vaikšto per tiltą.",
        ("namas", "namai", "name", "namo", "Namų"),
    ),
    "nepali": Sample(
        "हाम्रो सहर नदीको किनारमा छ र साँझ मानिसहरू पुलमाथि हिँड्छन्।",
        ("किताब", "किताबहरू", "किताबको"),
    ),
    "norwegian": Sample(
        "Byen vår ligger ved elva, og om kvelden går folk tur over brua med hundene sine.",
        ("hest", "hester", "hesten", "Hestene"),
    ),
    "persian": Sample(
        "شهر ما کنار رودخانه است و عصرها مردم روی پل قدم می‌زنند و کتاب می‌خوانند.",
        ("کتاب", "کتاب\u200cها", "کتابها", "كتاب"),
    ),
    "polish": Sample(
        "Nasze miasto leży nad rzeką, a wieczorem ludzie spacerują po moście.",
        ("książka", "książki", "Książkami"),
    ),
    "portuguese": Sample(
        "A nossa cidade fica junto ao rio e à noite as pessoas passeiam pela ponte.",
        ("livro", "livros", "Livros"),
    ),
    "romanian": Sample(
        "Orașul nostru se află pe malul râului, iar seara oamenii se plimbă pe pod.",
        ("națiune", "națiunile", "naţiunilor"),
    ),
    "russian": Sample(
        "Наш город стоит на берегу реки, а вечером люди гуляют по мосту.",
        ("книга", "книги", "книгами", "Книгой"),
    ),
    "serbian": Sample(
        "Наш град лежи на обали реке, а увече људи шетају преко моста и читају књиге.",
        ("књига", "књиге", "knjigama", "Knjigu"),
    ),
    "sesotho": Sample(
        "Motse wa rona o haufi le noka, mme mantsiboya batho ba tsamaya hodima borokgo.",
        ("sekolo", "likolo"),
    ),
    "sorani": Sample("شارەکەمان لە کەناری ڕووبارەکەیە و ئێواران خەڵک بەسەر پردەکەدا پیاسە دەکەن."),
    "spanish": Sample(
        "Nuestra ciudad está junto al río y por la tarde la gente pasea por el puente.",
        ("libro", "libros", "Libros"),
    ),
    "swedish": Sample(
        "Vår stad ligger vid ån, och på kvällarna går folk över bron med sina hundar.",
        ("häst", "hästar", "hästen", "Hästarna"),
    ),
    "tamil": Sample(
        "எங்கள் ஊர் ஆற்றங்கரையில் உள்ளது; மாலையில் மக்கள் பாலத்தில் நடக்கிறார்கள்.",
        ("புத்தகம்", "புத்தகங்கள்", "புத்தகத்தை"),
    ),
    "turkish": Sample(
        "Şehrimiz nehrin kıyısında ve akşamları insanlar köprüde yürüyüşe çıkıyor.",
        ("kitap", "kitaplar", "KİTAPLARI", "kitabı"),
    ),
    "yiddish": Sample(
        "אונדזער שטאָט ליגט בײַם טײַך, און אין אָוונט גייען די מענטשן איבער דער בריק.",
        ("מענטש", "מענטשן"),
    ),
}
"""By the name of the recipe, which is also that of the stop list and of Snowball's stemmer."""

OTHERS: Mapping[str, str] = {
    "arabic": "تقع مدينتنا على ضفة النهر وفي المساء يتمشى الناس على الجسر.",
    "chinese": "我们的城市在河边,傍晚人们在桥上散步。",
    "georgian": "ჩვენი ქალაქი მდინარის პირას მდებარეობს.",
    "hebrew": "העיר שלנו שוכנת על גדת הנהר ובערב אנשים מטיילים על הגשר.",
    "japanese": "私たちの町は川のそばにあり、夕方には人々が橋の上を散歩します。",
    "korean": "우리 도시는 강가에 있고 저녁이면 사람들이 다리 위를 걷는다.",
    "pashto": "زموږ ښار د سیند پر غاړه پروت دی او ماښام خلک پر پله ګرځي.",
    "thai": "เมืองของเราอยู่ริมแม่น้ำและในตอนเย็นผู้คนเดินเล่นบนสะพาน",
    "ukrainian": "Наше місто стоїть на березі річки, а ввечері люди гуляють мостом.",
    "urdu": "ہمارا شہر دریا کے کنارے ہے اور شام کو لوگ پل پر ٹہلتے ہیں۔",
}
"""Sentences in languages whose recipes are others', or that have none."""
